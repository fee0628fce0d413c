//go:build unix

package api

import (
	"os/exec"
	"syscall"
)

// detach takes the daemon out of the caller's session: a closed terminal or a killed agent must not end it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
