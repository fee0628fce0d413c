package api

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach gives the daemon no console and a process group of its own.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
		HideWindow: true}
}
