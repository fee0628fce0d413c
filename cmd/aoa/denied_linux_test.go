package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// nobody is the user that the tests of permissions run the program as: root may write everywhere.
const nobody = 65534

// asNobody runs the program as another user.
func (d *sandbox) asNobody(args ...string) said {
	d.Helper()
	cmd := d.command(d.bin, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		d.Fatal(err)
	}
	s := said{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
	d.Logf("as nobody, aoa %v: exit %d\n%s%s", args, s.code, s.out, s.err)
	return s
}

// forNobody makes a sandbox whose repository and home belong to nobody, and its program can be run
// by anyone.
func forNobody(t *testing.T) *sandbox {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may become another user")
	}
	d := newSandbox(t, 16)
	top := filepath.Dir(d.dir)
	raw, err := os.ReadFile(d.bin)
	fault.Check(t, err)
	d.bin = filepath.Join(top, "aoa")
	fault.Check(t, os.WriteFile(d.bin, raw, 0o755))
	fault.Check(t, os.Chmod(top, 0o755))
	fault.Check(t, exec.Command("chown", "-R", fmt.Sprintf("%d:%d", nobody, nobody), d.dir, filepath.Join(top, "home")).Run())
	t.Cleanup(func() { d.asNobody("daemon", "stop", "--all") })
	return d
}

func TestNoPermission(t *testing.T) {
	noRace(t)
	t.Parallel()
	t.Run("a git dir that cannot be written", func(t *testing.T) {
		t.Parallel()
		d := forNobody(t)
		git := filepath.Join(d.dir, ".git")
		fault.Check(t, os.Chmod(git, 0o555))
		if s := d.asNobody("init"); s.code != 0 || !strings.Contains(s.out, "home/state/aoa/") {
			t.Fatalf("the store should be in the state folder: exit %d", s.code)
		}
		if s := d.asNobody("suggest", "server/wire.go"); s.code != 0 || !strings.Contains(s.out, "docs/protocol.md") {
			t.Errorf("suggest: exit %d", s.code)
		}
		if s := d.asNobody("doctor"); s.code != 0 {
			t.Errorf("doctor: exit %d", s.code)
		}
		if s := d.asNobody("remove", "--yes"); s.code != 0 {
			t.Errorf("remove: exit %d", s.code)
		}
		left, _ := filepath.Glob(filepath.Join(filepath.Dir(d.dir), "home", "state", "aoa", "*", "aoa.db"))
		if len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	t.Run("nothing can be written", func(t *testing.T) {
		t.Parallel()
		d := forNobody(t)
		for _, dir := range []string{filepath.Join(d.dir, ".git"), filepath.Join(filepath.Dir(d.dir), "home")} {
			fault.Check(t, os.Chmod(dir, 0o555))
		}
		if s := d.asNobody("init"); s.code != 1 || !strings.Contains(s.err, "permission denied") {
			t.Errorf("exit %d: %s", s.code, s.err)
		}
	})
	t.Run("a database that cannot be written", func(t *testing.T) {
		t.Parallel()
		d := forNobody(t)
		d.asNobody("init")
		d.asNobody("daemon", "stop")
		fault.Check(t, os.Chown(filepath.Join(d.place().Store, "aoa.db"), 0, 0))
		fault.Check(t, os.Chmod(filepath.Join(d.place().Store, "aoa.db"), 0o400))
		if s := d.asNobody("suggest"); s.code != 3 || !strings.Contains(s.err, "cannot be written") {
			t.Errorf("exit %d: %s", s.code, s.err)
		}
	})
}

// TestStopOnFullDisk: on a full disk questions are answered, and what cannot be written is refused or waits in memory.
// A daemon whose events wait does not stop: aoa daemon stop says how many there are, where they belong and what to do.
// When there is space it stops, and they are there. Only by force is it stopped without.
func TestStopOnFullDisk(t *testing.T) {
	noRace(t)
	disk := fault.Disk(t, "6m")
	if disk == "" {
		return
	}
	d := newSandbox(t, 16)
	d.env = append(d.env, "AOA_STORE="+filepath.Join(disk, "store"))
	d.must("init")
	filler := filepath.Join(disk, "filler")
	hooks := func(name string) {
		t.Helper()
		fill(t, filler)
		for i := 0; ; i++ {
			_, err := api.Call(t.Context(), d.client(), api.Events, []event.Event{{ID: fmt.Sprint("fill", name, i),
				Time: time.Now(), Session: "s",
				Body: event.Prompt{Text: strings.Repeat("words ", 600)}}})
			if err != nil {
				break // the pages that the database had allocated are used up, too
			}
		}
		for i := range 66 {
			if s := d.doWith(string(d.hook("PostToolUse", "s", fmt.Sprint(name, i), "Read", "README.md")), "hook",
				"claude"); s != (said{}) {
				t.Errorf("a hook on a full disk: %+v", s)
			}
		}
		d.until("the events wait in memory", func() bool { return waiting(d.do("status").err) >= 66 })
	}
	hooks("a")
	_, err := api.Call(t.Context(), d.client(), api.Events, []event.Event{{ID: "refused",
		Time: time.Now(), Session: "s", Body: event.Start{}}})
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Code != api.CodeFull || !strings.Contains(refused.Message, "no space left") {
		t.Errorf("events on a full disk: %v", err)
	}
	if s := d.do("suggest", "server/wire.go"); s.code != 0 || !strings.Contains(s.out, "docs/protocol.md") {
		t.Errorf("suggest on a full disk: exit %d\n%s%s", s.code, s.out, s.err)
	}
	for _, args := range [][]string{{"feedback", "good"}, {"doctor"}} {
		if s := d.do(args...); s.code != exitFailed {
			t.Errorf("aoa %v on a full disk: exit %d\n%s%s", args, s.code, s.out, s.err)
		}
	}
	pid := d.status().Pid
	s := d.do("daemon", "stop")
	t.Logf("aoa daemon stop: exit %d\n%s%s", s.code, s.out, s.err)
	if s.code != exitFailed || s.out != "" || waiting(s.err) < 66 || !strings.Contains(s.err,
		filepath.Join(disk, "store", "aoa.db")) ||
		!strings.Contains(s.err, "hint: free some space") || !strings.Contains(s.err, "aoa daemon stop --force") {
		t.Errorf("aoa daemon stop on a full disk: exit %d\n%s%s", s.code, s.out, s.err)
	}
	if now := d.do("status", "--json"); !strings.Contains(now.out, fmt.Sprintf(`"pid": %d,`, pid)) {
		t.Errorf("the daemon %d does not go on: %s", pid, now.out)
	}
	fault.Check(t, os.Remove(filler))
	d.must("daemon", "stop")
	fill(t, filler)
	if s := d.do("suggest", "server/wire.go"); s.code != 0 && !strings.Contains(s.err, "no space left") {
		t.Errorf("started on a full disk: exit %d\n%s%s", s.code, s.out, s.err)
	}
	fault.Check(t, os.Remove(filler))
	fault.Same(t, "with space again", len(d.log("--kind", "read")), 66)

	hooks("b")
	s = d.do("daemon", "stop", "--force")
	t.Logf("aoa daemon stop --force: exit %d\n%s%s", s.code, s.out, s.err)
	if s.code != exitOK || !strings.Contains(s.out, "stopped 1") || waiting(s.err) < 66 ||
		!strings.Contains(s.err, "lost") {
		t.Errorf("aoa daemon stop --force on a full disk: exit %d\n%s%s", s.code, s.out, s.err)
	}
	fault.Check(t, os.Remove(filler))
	fault.Same(t, "after that", len(d.log("--kind", "read")), 66)
	fill(t, filler) // what it must not come to: that nothing can be removed any more
	d.must("remove", "--yes")
}

// waiting is the number of events that a message is about.
func waiting(message string) (n int) {
	before, _, _ := strings.Cut(message, " events ")
	_, _ = fmt.Sscan(before[strings.LastIndexByte(before, ' ')+1:], &n)
	return n
}

// fill writes a file until the disk is full.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	fault.Check(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	fault.Check(t, f.Close())
}
