//go:build linux || darwin

package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// typing is a text that a terminal must show, and what a person then types.
type typing struct{ shows, keys string }

// typed runs the program in a terminal of its own, with stdout and stderr in pipes.
func (d *sandbox) typed(args []string, env []string, steps ...typing) said {
	d.Helper()
	terminal, theirs, err := pty.Open()
	check(d.T, err)
	defer terminal.Close()
	check(d.T, pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: 80}))
	var out, errs bytes.Buffer
	cmd := d.command(d.bin, args...)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, &out, &errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	check(d.T, cmd.Start())
	theirs.Close()
	late := time.AfterFunc(patient, func() { _ = cmd.Process.Kill() }) // then reading ends
	defer late.Stop()
	var shown strings.Builder
	buf := make([]byte, 4096)
	for _, s := range steps {
		for !strings.Contains(shown.String(), s.shows) {
			n, err := terminal.Read(buf)
			if shown.Write(buf[:n]); err != nil {
				d.Fatalf("the terminal never showed %q but %q\n%s", s.shows, shown.String(), &errs)
			}
		}
		shown.Reset()
		_, err := terminal.WriteString(s.keys)
		check(d.T, err)
	}
	go func() { _, _ = io.Copy(io.Discard, terminal) }() // what is shown after the last key must not fill the terminal
	_ = cmd.Wait()
	return said{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// TestPick: a person takes files from the list, in a real terminal.
func TestPick(t *testing.T) {
	noRace(t)
	d := newSandbox(t, 64)
	d.must("init")
	editor := d.dir + "/../editor"
	check(t, os.WriteFile(editor, []byte("#!/bin/sh\necho \"$*\" >\""+d.dir+"/../opened\"\n"), 0o700))
	for _, c := range []struct {
		name  string
		args  string
		steps []typing
		want  said
	}{
		{"enter takes the first", "suggest --pick server/wire.go", []typing{{"changed together in 56 of 64 commits", "\r"}},
			said{out: "docs/protocol.md\n"}},
		{"letters select", "suggest --pick -0 server/wire.go", []typing{{"Enter takes", "main"}, {"main", "\r"}},
			said{out: "cmd/main.go\x00"}},
		{"marks", "suggest --pick server/wire.go", []typing{{"Enter takes", "\t"}, {"✓", "\t"}, {"✓", "\r"}},
			said{out: "docs/protocol.md\nother/file15.go\n"}},
		{"no match", "suggest --pick server/wire.go", []typing{{"Enter takes", "zzz"}, {"se letters", "\r"}},
			said{err: "nothing was picked", code: exitFailed}},
		{"leave", "suggest --pick server/wire.go", []typing{{"Enter takes", "\x03"}}, said{err: "nothing was picked", code: exitFailed}},
		{"edit", "suggest -e server/wire.go", []typing{{"Enter takes", "\r"}}, said{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := *d
			s.T = t
			got := s.typed(strings.Fields(c.args), []string{"TERM=xterm-256color", "EDITOR=" + editor}, c.steps...)
			if got.out != c.want.out || got.code != c.want.code || !strings.Contains(got.err, c.want.err) {
				t.Errorf("it said %+v, want %+v", got, c.want)
			}
		})
	}
	if raw, err := os.ReadFile(d.dir + "/../opened"); err != nil || string(raw) != "docs/protocol.md\n" {
		t.Errorf("the editor got %q (%v)", raw, err)
	}

	// Without a terminal it says so.
	cmd := d.command(d.bin, "suggest", "--pick", "server/wire.go")
	cmd.Env = append(cmd.Env, "TERM=xterm")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != exitFailed ||
		!strings.Contains(string(out), "--pick needs a terminal") ||
		!strings.Contains(string(out), "hint: aoa suggest --plain") {
		t.Errorf("without a terminal: exit %d\n%s", cmd.ProcessState.ExitCode(), out)
	}
	if s := d.do("suggest", "--pick", "--json"); s.code != exitUsage {
		t.Errorf("--pick --json: %+v", s)
	}
}

// shown runs the program with all its outputs on a terminal, and returns what that shows.
func (d *sandbox) shown(env []string, args ...string) string {
	d.Helper()
	terminal, theirs, err := pty.Open()
	check(d.T, err)
	defer terminal.Close()
	check(d.T, pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: 80}))
	cmd := d.command(d.bin, args...)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	check(d.T, cmd.Start())
	theirs.Close()
	late := time.AfterFunc(patient, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	out, _ := io.ReadAll(terminal) // its end is an error
	_ = cmd.Wait()
	return string(out)
}

// TestTerminal: colors where there is a terminal, a pager where an answer is longer than it.
func TestTerminal(t *testing.T) {
	noRace(t)
	d := newSandbox(t, 64)
	d.must("init")
	pager := d.dir + "/../pager"
	check(t, os.WriteFile(pager, []byte("#!/bin/sh\necho \"paged $1\"\ncat >/dev/null\n"), 0o700))
	env := []string{"TERM=xterm", "NO_COLOR=", "PAGER=" + pager + " -x"}
	if got := d.shown(env, "suggest", "server/wire.go"); !strings.Contains(got, "\x1b[32m") || strings.Contains(got, "paged") {
		t.Errorf("a short answer is %q", got)
	}
	if got := d.shown(append(env, "NO_COLOR=1"), "suggest", "server/wire.go"); strings.Contains(got, "\x1b[") {
		t.Errorf("with NO_COLOR: %q", got)
	}
	if got := d.shown(env, "nothing"); !strings.Contains(got, "\x1b[31maoa: \x1b[0munknown command") ||
		!strings.Contains(got, "\x1b[36mhint: ") {
		t.Errorf("an error is %q", got)
	}
	if got := d.shown(env, "log"); got != "paged -x\r\n" {
		t.Errorf("a long answer is %q", got)
	}
	if got := d.shown(env, "log", "--json"); strings.Contains(got, "paged") || !strings.Contains(got, `"kind":"commit"`) {
		t.Errorf("JSON is %.200q", got)
	}
	if got := d.shown([]string{"TERM=xterm", "PAGER=/no/such/pager"}, "log"); strings.Count(got, "\n") < 50 {
		t.Errorf("without a pager: %q", got)
	}
	if got := d.shown(env, "stats"); strings.LastIndex(got, "no agent has worked here") < strings.LastIndex(got, "commits") {
		t.Errorf("what is said about an answer stands above it: %q", got)
	}
}
