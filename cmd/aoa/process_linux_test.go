package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// stateOf is the state of a process: R, S, T, Z, and so on; "" when it is gone.
func stateOf(pid int) string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	return strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))[0] // a name may hold anything
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
	cmd.Dir, cmd.Env = d.dir, append(slices.Clip(d.env), "AOA_PATIENCE=1")
	s := d.finish(cmd, "")
	if ctx.Err() != nil {
		d.Errorf("aoa %v hangs", args)
	}
	return s
}

// freeze stops a daemon as ctrl-Z or a debugger does, and returns when all of its threads stand
// still.
func (d *sandbox) freeze(pid int) {
	d.Helper()
	fault.Check(d, syscall.Kill(pid, syscall.SIGSTOP))
	d.until("the daemon stands still", func() bool { return stateOf(pid) == "T" })
}

// TestFrozenDaemon: with a daemon that was stopped by SIGSTOP every command ends by itself, says
// which process does not answer and what to do, and exits with the code for it; a stage's command
// runs. When the daemon goes on, so does all.
func TestFrozenDaemon(t *testing.T) {
	noRace(t)
	d := initialized(t, 16)
	pid := d.status().Pid
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) }) // one that stands still hears of no request
	d.write("seven.sh", "exit 7\n")
	d.freeze(pid)
	silent := fmt.Sprintf("(pid %d, stopped by a signal) does not answer", pid)
	way := fmt.Sprintf("kill -CONT %d lets it go on, aoa daemon stop --force ends it", pid)
	var all sync.WaitGroup
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"suggest server/wire.go", exitSilent, "hint: " + way}, {"status", exitSilent, "hint: " + way},
		{"pause 1h", exitSilent, "hint: " + way}, {"init", exitSilent, "hint: " + way},
		{"stage list", exitSilent, "hint: " + way}, {"doctor", exitFailed, way}, {"status --all", exitOK, ""},
		{"stage run s -- echo it-ran", exitOK, "it-ran"}, {"stage run t -- sh seven.sh", 7, ""},
	} {
		all.Go(func() {
			s := d.within(strings.Fields(c.args)...)
			if said := s.out + s.err; s.code != c.code || !strings.Contains(said, silent) || !strings.Contains(said, c.says) {
				t.Errorf("aoa %s: exit %d, want %d, %q and %q\n%s", c.args, s.code, c.code, silent, c.says, said)
			}
		})
	}
	all.Wait()
	fault.Check(t, syscall.Kill(pid, syscall.SIGCONT))
	d.answers("when it goes on")
	fault.Same(t, "the same daemon", d.status().Pid, pid)
	if out := d.must("status"); strings.Contains(out, "pause off") {
		t.Errorf("a pause that was given up is carried out: %s", out)
	}

	d.freeze(pid)
	if s := d.within("daemon", "stop"); s.code != exitSilent || s.out != "" || !strings.Contains(s.err, silent) ||
		!strings.Contains(s.err, way) || stateOf(pid) != "T" {
		t.Errorf("aoa daemon stop: exit %d\n%s%s", s.code, s.out, s.err)
	}
	if s := d.within("daemon", "stop", "--force"); s.code != exitOK || !strings.Contains(s.out, "stopped 1") ||
		!strings.Contains(s.err, fmt.Sprintf("killed the daemon (pid %d)", pid)) {
		t.Errorf("aoa daemon stop --force: exit %d\n%s%s", s.code, s.out, s.err)
	}
	d.until("the daemon is gone", func() bool { return stateOf(pid) == "" })
	d.answers("with a new daemon")
}
