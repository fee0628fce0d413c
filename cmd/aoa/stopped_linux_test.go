package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// within runs the program as a person does, and ends it after a time in which every command must
// have given up.
func (d *sandbox) within(args ...string) said {
	ctx, cancel := context.WithTimeout(d.Context(), patient)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.bin, args...)
	cmd.Dir, cmd.Env = d.dir, append(d.env, "AOA_PATIENCE=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		d.Errorf("aoa %v: %v", args, err)
	}
	if ctx.Err() != nil {
		d.Errorf("aoa %v hangs", args)
	}
	return said{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// freeze stops a daemon as ctrl-Z or a debugger does, and returns when all of its threads stand
// still.
func (d *sandbox) freeze(pid int) {
	d.Helper()
	fault.Check(d, syscall.Kill(pid, syscall.SIGSTOP))
	d.until("the daemon stands still", func() bool { return stateOf(d, pid) == "T" })
}

// TestFrozenDaemon: with a daemon that was stopped by SIGSTOP every command ends by itself, says
// which process does not answer and what to do, and exits with the code for it; a stage's command
// runs. When the daemon goes on, so does all.
func TestFrozenDaemon(t *testing.T) {
	noRace(t)
	d := initialized(t, 16)
	pid := d.status().Pid
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) }) // one that stands still hears of no request
	d.freeze(pid)
	silent := fmt.Sprintf("(pid %d, stopped by a signal) does not answer", pid)
	way := fmt.Sprintf("kill -CONT %d lets it go on, aoa daemon stop --force ends it", pid)
	var all sync.WaitGroup
	for _, c := range []struct {
		args string
		code int
		out  string
	}{
		{"suggest server/wire.go", exitSilent, ""}, {"status", exitSilent, ""}, {"pause 1h", exitSilent, ""}, {"init",
			exitSilent, ""}, {"daemon start", exitSilent, ""},
		{"log", exitSilent, ""}, {"stage list", exitSilent, ""}, {"doctor", exitFailed, "BAD"},
		{"stage run s -- echo it-ran", exitOK, "it-ran\n"}, {"stage run t -- sh -c exit\\ 7", 7, ""}, {"status --all", exitOK,
			""},
	} {
		all.Go(func() {
			args := strings.Fields(c.args)
			if last := args[len(args)-1]; last == "7" {
				args = append(args[:len(args)-2], "exit 7")
			}
			s := d.within(args...)
			t.Logf("aoa %s: exit %d\n%s%s", c.args, s.code, s.out, s.err)
			if s.code != c.code || !strings.Contains(s.out, c.out) || !strings.Contains(s.out+s.err, silent) {
				t.Errorf("aoa %s: exit %d, want %d, %q and %q", c.args, s.code, c.code, c.out, silent)
			}
			if c.code == exitSilent && !strings.Contains(s.err, "hint: "+way) || c.code == exitFailed &&
				!strings.Contains(s.out, way) {
				t.Errorf("aoa %s does not say what to do", c.args)
			}
		})
	}
	all.Wait()
	fault.Check(t, syscall.Kill(pid, syscall.SIGCONT))
	fault.Same(t, "the same daemon", d.status().Pid, pid)
	if out := d.must("suggest", "server/wire.go"); !strings.Contains(out, "docs/protocol.md") {
		t.Errorf("when it goes on: %s", out)
	}

	if out := d.must("status"); strings.Contains(out, "pause off") {
		t.Errorf("a pause that was given up is carried out: %s", out)
	}

	d.freeze(pid)
	if s := d.within("daemon", "stop"); s.code != exitSilent || !strings.Contains(s.err, silent) ||
		!strings.Contains(s.err, way) || s.out != "" {
		t.Errorf("aoa daemon stop: exit %d\n%s%s", s.code, s.out, s.err)
	}
	fault.Same(t, "state of the daemon", stateOf(t, pid), "T")
	if s := d.within("daemon", "stop", "--force"); s.code != exitOK || !strings.Contains(s.out, "stopped 1") ||
		!strings.Contains(s.err, fmt.Sprintf("killed the daemon (pid %d)", pid)) {
		t.Errorf("aoa daemon stop --force: exit %d\n%s%s", s.code, s.out, s.err)
	}
	d.until("the daemon is gone", func() bool { return stateOf(t, pid) == "" })
	if out := d.must("suggest", "server/wire.go"); !strings.Contains(out, "docs/protocol.md") || d.status().Pid == pid {
		t.Errorf("with a new daemon: %s", out)
	}
}
