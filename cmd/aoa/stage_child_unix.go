//go:build !windows

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// ending are the signals that end a step.
var ending = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// apart gives the child a group of its own, so that it can be ended with all that it started.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// pass sends a signal on. The keyboard's reach a shared group by themselves.
func pass(cmd *exec.Cmd, shared bool, sig os.Signal) {
	s, ok := sig.(syscall.Signal)
	switch {
	case !ok || shared && s == syscall.SIGINT:
	case shared:
		_ = cmd.Process.Signal(s) // it may have ended
	default:
		_ = syscall.Kill(-cmd.Process.Pid, s)
	}
}

func kill(cmd *exec.Cmd, shared bool) {
	if shared {
		_ = cmd.Process.Kill()
		return
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}

// signalOf is the number of the signal that ended a process, 0 for one that exited.
func signalOf(p *os.ProcessState) int {
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
