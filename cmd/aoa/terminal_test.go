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
	if got := d.shown(env, "check", "HEAD"); !strings.Contains(got, "found nothing that this change") {
		t.Errorf("a check without findings says %q", got)
	}
}

// TestInterruptedQuestion: ctrl-C ends a question, and nothing is done.
func TestInterruptedQuestion(t *testing.T) {
	noRace(t)
	d := newSandbox(t, 2)
	d.must("init")
	cmd := d.command(d.bin, "remove")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, nil, nil
	terminal, err := pty.Start(cmd)
	fault.Check(t, err)
	defer terminal.Close()
	late := time.AfterFunc(patient, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	var shown strings.Builder
	for b := make([]byte, 1024); !strings.Contains(shown.String(), "[y/N]"); {
		n, err := terminal.Read(b)
		fault.Check(t, err)
		shown.Write(b[:n])
	}
	_, err = terminal.Write([]byte{3})
	fault.Check(t, err)
	rest, _ := io.ReadAll(terminal) // its end is an error
	_ = cmd.Wait()                  // the code says it
	fault.Same(t, "exit code", cmd.ProcessState.ExitCode(), exitInterrupted)
	if !strings.Contains(string(rest), "aoa: interrupted") {
		t.Errorf("ctrl-C: %q", rest)
	}
	d.must("suggest", "README.md") // it still knows the repository
}
