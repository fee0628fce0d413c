//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command, with everything that it starts, a group of processes.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup ends what is left of the group. A test that was cut leaves the programs that it started,
// and some of these never end by themselves.
func endGroup(c *exec.Cmd) {
	if c.Process != nil {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // usually nothing is left
	}
}
