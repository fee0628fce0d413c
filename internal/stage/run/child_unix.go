//go:build !windows

package run

import (
	"os"
	"os/exec"
	"syscall"
)

// ending has the signals that end a step.
var ending = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// newGroup puts the child into a process group of its own, so that it can be killed together with
// everything that it started.
func newGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// pass forwards a signal to the child. The keyboard's signals reach a shared process group anyway.
func pass(cmd *exec.Cmd, shared bool, sig os.Signal) {
	s, ok := sig.(syscall.Signal)
	switch {
	case !ok || shared && s == syscall.SIGINT:
	case shared:
		_ = cmd.Process.Signal(s) // it may already have ended
	default:
		_ = syscall.Kill(-cmd.Process.Pid, s)
	}
}

// kill kills the remaining processes of the child's group.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// signalOf returns the signal that ended a process, 0 if it exited.
func signalOf(p *os.ProcessState) int {
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
