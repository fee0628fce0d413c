package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// process is what /proc says of one.
type process struct {
	pid, parent int
	state       string // R, S, T, Z, …
}

// processes lists what runs on this machine.
func processes(t testing.TB) (out []process) {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/stat")
	fault.Check(t, err)
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		pid, _, _ := strings.Cut(string(raw), " ")
		fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:])) // a name may hold anything
		var p process
		p.state = fields[0]
		p.pid, _ = strconv.Atoi(pid)
		p.parent, _ = strconv.Atoi(fields[1])
		out = append(out, p)
	}
	return out
}

// stateOf is the state of a process, "" when it is gone.
func stateOf(t testing.TB, pid int) string {
	t.Helper()
	for _, p := range processes(t) {
		if p.pid == pid {
			return p.state
		}
	}
	return ""
}

// TestNoZombies: aoa mcp lives as long as its client and starts a daemon whenever a question finds
// none. Of the daemons that have ended nothing is left.
func TestNoZombies(t *testing.T) {
	noRace(t)
	d := initialized(t, 16)
	d.must("daemon", "stop")
	server := d.command(d.bin, "mcp")
	questions, err := server.StdinPipe()
	fault.Check(t, err)
	out, err := server.StdoutPipe()
	fault.Check(t, err)
	fault.Check(t, server.Start())
	answers := bufio.NewScanner(out)
	answers.Buffer(nil, 1<<20)
	send := func(format string, args ...any) {
		t.Helper()
		_, err := fmt.Fprintf(questions, format+"\n", args...)
		fault.Check(t, err)
	}
	answer := func(id int) string {
		t.Helper()
		for answers.Scan() {
			if strings.Contains(answers.Text(), fmt.Sprintf(`"id":%d,`, id)) {
				return answers.Text()
			}
		}
		t.Fatalf("no answer to question %d: %v", id, answers.Err())
		return ""
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	answer(1)
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i := range 3 {
		send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"suggest_files","arguments":{"files":["server/wire.go"]}}}`, 2+i)
		if text := answer(2 + i); !strings.Contains(text, "docs/protocol.md") {
			t.Fatalf("question %d: %s", i, text)
		}
		daemon := d.status().Pid
		if p := processes(t); !hasChild(p, server.Process.Pid, daemon) {
			t.Fatalf("round %d: the daemon %d is no child of the server %d", i, daemon, server.Process.Pid)
		}
		d.must("daemon", "stop")
		d.until("the daemon has ended", func() bool { s := stateOf(t, daemon); return s == "" || s == "Z" })
		d.until(fmt.Sprintf("nothing is left of daemon %d; its state is now %q", daemon, stateOf(t, daemon)), func() bool {
			return stateOf(t, daemon) == ""
		})
	}
	for _, p := range processes(t) {
		if p.parent == server.Process.Pid {
			t.Errorf("a child is left: %+v", p)
		}
	}
	fault.Check(t, questions.Close())
	_, _ = io.Copy(io.Discard, out)
	if err := server.Wait(); err != nil {
		t.Errorf("the server: %v", err)
	}
}

func hasChild(all []process, parent, pid int) bool {
	for _, p := range all {
		if p.pid == pid {
			return p.parent == parent
		}
	}
	return false
}

// leftovers are the processes of the program that go on running when the tests are over, as "pid
// command line". One that is ending has ten seconds for it. It kills them.
func leftovers() (left []string) {
	bin, err := exec.LookPath("aoa")
	if err != nil {
		return nil // no test ran
	}
	self, err := os.Stat(bin)
	if err != nil {
		return []string{err.Error()}
	}
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		pid, _ := strconv.Atoi(filepath.Base(name))
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue // it has ended
		}
		defer unix.Close(fd)
		exe, err := os.Stat(name + "/exe")
		if err != nil || pid == os.Getpid() || !os.SameFile(exe, self) {
			continue
		}
		command, _ := os.ReadFile(name + "/cmdline")
		if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 10_000); n == 0 {
			left = append(left, fmt.Sprintf("%d %s", pid, strings.ReplaceAll(string(command), "\x00", " ")))
			_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		}
	}
	return left
}

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
