package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestFewWatches: a user with fewer watches than the repository has folders keeps half of them for
// other programs, and status and doctor say what is polled, why, and what helps. The limit is that
// of a user namespace, in which all commands run.
func TestFewWatches(t *testing.T) {
	noRace(t)
	t.Parallel()
	d := newSandbox(t, 0)
	for i := range 40 {
		dir := fmt.Sprintf("%s/d%d", d.dir, i)
		fault.Check(t, os.Mkdir(dir, 0o755))
		fault.Check(t, os.WriteFile(dir+"/a.go", []byte("package d\n"), 0o644))
	}
	d.git("add", "-A")
	d.git("commit", "-q", "-m", "folders")
	// The daemon listens before it has set its watches: status is asked until they are counted.
	cmd := d.command("sh", "-c", `echo 20 >/proc/sys/user/max_inotify_watches || exit 9
		aoa init >&2 || exit
		n=0; until aoa status --json | grep -q '"watch": *"partial"' || [ $n = 500 ]; do n=$((n+1)); done
		aoa status --json | tr -d '\n'; echo; echo ----; aoa status 2>&1; echo ----; aoa doctor 2>&1; aoa daemon stop >&2; exit 0`)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	var errs strings.Builder
	cmd.Stderr = &errs
	raw, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 9 {
		t.Skipf("the watches of a user cannot be limited here: %v %s", err, errs.String())
	}
	fault.Check(t, err)
	parts := strings.Split(string(raw), "----\n")
	if len(parts) != 3 {
		t.Fatalf("%s%s", raw, errs.String())
	}
	var st api.StatusAnswer
	fault.Check(t, json.Unmarshal([]byte(parts[0]), &st))
	if st.Watch != "partial" || st.Watched+st.Polled != 41 || st.Watched == 0 || st.Watched > 10 {
		t.Errorf("%d of 41 folders watched, %d polled, %s", st.Watched, st.Polled, st.Watch)
	}
	if !strings.Contains(st.WatchWhy, "half") || st.WatchHint != "sudo sysctl fs.inotify.max_user_watches=524288" {
		t.Errorf("why: %q, hint: %q", st.WatchWhy, st.WatchHint)
	}
	if want := fmt.Sprintf("%d of 41 folders", st.Watched); !strings.Contains(parts[1], want) ||
		!strings.Contains(parts[1], "aoa: hint: "+st.WatchHint) {
		t.Errorf("status says\n%swant %q and the hint", parts[1], want)
	}
	if !strings.Contains(parts[2], "folders") || !strings.Contains(parts[2], st.WatchHint) {
		t.Errorf("doctor says\n%s", parts[2])
	}
	t.Logf("%s", parts[1])
}
