package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/hooks/install"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestLimits: a hook, and the daemon that it starts, with few open files or short files. Hooks exit
// 0 and are silent but for one JSON object; a command says what is wrong; without the limit
// everything works again.
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
				_ = cmd.Run() // ProcessState has the result
				return said{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
			}
			s := limited("", "suggest", "server/wire.go")
			refused := s.code != 0 && strings.Contains(s.err, c.refusal) && strings.Contains(s.err, "hint:")
			if !refused && (s.code != 0 || c.refusal != "") {
				t.Errorf("suggest: exit %d: %s", s.code, s.err)
			}
			for i := range 5 * fault.Rounds() {
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
				d.until("what the hooks said is there", func() bool { return len(d.log("--kind", "read")) >= 4*fault.Rounds() })
			}
			d.do("daemon", "stop", "--force")
			if s := d.do("suggest", "server/wire.go"); s.code != 0 {
				t.Errorf("without the limit: exit %d: %s", s.code, s.err)
			}
		})
	}
}

// TestLimitsOfMemory: a Go program that gets no memory dies with the exit code 2, which Claude Code
// takes for a refusal of the tool. The command in the settings of an agent exits 0 all the same.
func TestLimitsOfMemory(t *testing.T) {
	noRace(t)
	t.Parallel()
	d := newSandbox(t, 4)
	d.must("init")
	died := false
	for _, limit := range []int{100, 400, 800, 1200, 1600, 2000, 4000} {
		book := fault.Open(t, "hooks and a daemon under ulimit -v")
		for i := range fault.Size(2, 5*fault.Rounds()) {
			if i%5 == 0 {
				d.do("daemon", "stop")
			}
			run := func(command string) *exec.Cmd {
				cmd := exec.Command("sh", "-c", fmt.Sprintf("ulimit -v %d; %s", limit<<10, command))
				cmd.Dir, cmd.Env = d.dir, d.env
				cmd.Stdin = bytes.NewReader(d.hook("UserPromptSubmit", "s", fmt.Sprint(limit, i), "", "the wire of the server waits"))
				return cmd
			}
			died = died || run("exec "+d.bin+" hook claude").Run() != nil
			var errs bytes.Buffer
			cmd := run(install.Command(filepath.Dir(d.bin), "claude"))
			cmd.Stderr = &errs
			out, err := cmd.Output()
			if err != nil || errs.Len() > 0 || len(out) > 0 && !json.Valid(out) {
				t.Errorf("%d MB: %v, %q, %q", limit, err, out, &errs)
				book.Add(fault.Wrong, 1)
				continue
			}
			book.Add(fault.Whole, 1)
		}
	}
	d.do("daemon", "stop", "--force")
	if s := d.do("suggest", "server/wire.go"); s.code != 0 || !died {
		t.Errorf("without the limit: exit %d: %s; died of it: %v", s.code, s.err, died)
	}
}
