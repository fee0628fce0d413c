//go:build unix

package locate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// tempRoot is fixed: hooks may run without TMPDIR, and both ends must find the same socket.
func tempRoot() string { return "/tmp" }

// Detached takes a process that is started out of the caller's session: a closed terminal or a
// killed agent must not end it.
func Detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func readOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// CheckOwner returns an error if a file belongs to another user.
func CheckOwner(name string, st fs.FileInfo) error {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok && int(sys.Uid) != os.Getuid() {
		return fmt.Errorf("%s belongs to user %d, not to you (%d)", name, sys.Uid, os.Getuid())
	}
	return nil
}
