//go:build unix

package reload

import (
	"os/exec"
	"syscall"
)

// together makes a command and what it starts one group, that ends with it.
func together(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
