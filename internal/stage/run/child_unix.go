//go:build !windows

package run

import (
	"os"
	"os/exec"
	"syscall"
)

// ending are the signals that end a step.
var ending = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// newGroup puts the child into its own process group, so that it can be killed together with all
// that it started.
func newGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// pass forwards a signal. The keyboard's signals reach a shared group anyway.
func pass(cmd *exec.Cmd, shared bool, sig os.Signal) {
	s, ok := sig.(syscall.Signal)
	switch {
	case !ok || shared && s == syscall.SIGINT:
	case shared:
		_ = cmd.Process.Signal(s) // it may have ended already
	default:
		_ = syscall.Kill(-cmd.Process.Pid, s)
	}
}

// kill kills the processes that are left of the child's group.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// signalOf is the number of the signal that ended a process, 0 for one that exited.
func signalOf(p *os.ProcessState) int {
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
