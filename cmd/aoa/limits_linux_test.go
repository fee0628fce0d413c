package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestLimits: a hook, and the daemon that it starts, with few open files or short files. Hooks exit 0 and are silent but
// for one JSON object; a command says what is wrong; without the limit everything works again.
func TestLimits(t *testing.T) {
	noRace(t)
	t.Parallel()
	for _, c := range []struct {
		limit, refusal string
		learns         bool
	}{
		{limit: "-n 64", learns: true},
		{limit: "-n 20"},                  // enough in some starts, by the order in which files are opened
		{limit: "-n 16", refusal: "open"}, // too many open files, or SQLite cannot open one
		{limit: "-f 0", refusal: "aoa.db"},
		{limit: "-f 100"},
	} {
		t.Run(strings.Trim(c.limit, "-"), func(t *testing.T) {
			t.Parallel()
			book := fault.Open(t, "hooks and a daemon under ulimit "+c.limit)
			d := newSandbox(t, 16)
			d.must("init")
			d.must("daemon", "stop")
			limited := func(stdin string, args ...string) said {
				t.Helper()
				cmd := exec.Command("sh", append([]string{"-c", "ulimit " + c.limit + `; exec "$@"`, "sh", d.bin}, args...)...)
				cmd.Dir, cmd.Env, cmd.Stdin = d.dir, d.env, strings.NewReader(stdin)
				var out, errs bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &errs
				_ = cmd.Run() // ProcessState has what it came to
				return said{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
			}
			s := limited("", "suggest", "server/wire.go")
			refused := s.code != 0 && strings.Contains(s.err, c.refusal) && strings.Contains(s.err, "hint:")
			if !refused && (s.code != 0 || c.refusal != "") {
				t.Errorf("suggest: exit %d: %s", s.code, s.err)
			}
			for i := range 10 * fault.Rounds() {
				hook := d.hook("PostToolUse", "s", fmt.Sprint("toolu_", i), "Read", "server/wire.go")
				if i%5 == 4 {
					hook = d.hook("UserPromptSubmit", "s", fmt.Sprint("p", i), "", "the wire of the server waits")
				}
				s := limited(string(hook), "hook", "claude")
				if s.code != 0 || s.err != "" || s.out != "" && !json.Valid([]byte(s.out)) {
					t.Errorf("a hook: exit %d, %q, %q", s.code, s.out, s.err)
					book.Add(fault.Wrong, 1)
					continue
				}
				book.Add(fault.Whole, 1)
			}
			if c.learns {
				d.until("what the hooks said is there", func() bool { return len(d.log("--kind", "read")) >= 8*fault.Rounds() })
			}
			d.do("daemon", "stop", "--force")
			if s := d.do("suggest", "server/wire.go"); s.code != 0 {
				t.Errorf("without the limit: exit %d: %s", s.code, s.err)
			}
		})
	}
}
