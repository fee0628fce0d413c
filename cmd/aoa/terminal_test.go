//go:build linux || darwin

package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// shown runs the program with all its outputs on a terminal, and returns what that shows.
func (d *sandbox) shown(env []string, args ...string) string {
	d.Helper()
	terminal, theirs, err := pty.Open()
	fault.Check(d, err)
	defer terminal.Close()
	fault.Check(d, pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: 80}))
	cmd := d.command(d.bin, args...)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	fault.Check(d, cmd.Start())
	theirs.Close()
	late := time.AfterFunc(patient, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	out, _ := io.ReadAll(terminal) // its end is an error
	_ = cmd.Wait()
	return string(out)
}

// TestTerminal: colors where there is a terminal.
func TestTerminal(t *testing.T) {
	noRace(t)
	d := newSandbox(t, 64)
	d.must("init")
	env := []string{"TERM=xterm", "NO_COLOR="}
	if got := d.shown(env, "suggest", "server/wire.go"); !strings.Contains(got, "\x1b[32m") {
		t.Errorf("an answer is %q", got)
	}
	if got := d.shown(append(env, "NO_COLOR=1"), "suggest", "server/wire.go"); strings.Contains(got, "\x1b[") {
		t.Errorf("with NO_COLOR: %q", got)
	}
	if got := d.shown(env, "nothing"); !strings.Contains(got, "\x1b[31maoa: \x1b[0mno command") ||
		!strings.Contains(got, "\x1b[36mhint: ") {
		t.Errorf("an error is %q", got)
	}
}
