//go:build unix

package locate

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// tempRoot returns a fixed folder. TMPDIR is not used, because hooks may run without it, and both
// sides must find the same socket.
func tempRoot() string { return "/tmp" }

// Detached makes a process start in a session of its own, so that it does not end when the caller's
// terminal is closed or its agent is killed.
func Detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// CheckOwner returns an error if a file belongs to another user.
func CheckOwner(name string, st fs.FileInfo) error {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok && int(sys.Uid) != os.Getuid() {
		return fmt.Errorf("%s belongs to user %d, not to you (%d)", name, sys.Uid, os.Getuid())
	}
	return nil
}
