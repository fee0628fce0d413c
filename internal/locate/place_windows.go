package locate

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

func tempRoot() string { return os.TempDir() }

// detachedProcess is DETACHED_PROCESS of the Windows API: the process gets no console.
const detachedProcess = 0x8

// Detached makes a process start without a console and in a process group of its own.
func Detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}

// errorWriteProtect is ERROR_WRITE_PROTECT of winerror.h.
const errorWriteProtect = syscall.Errno(19)

func readOnly(err error) bool { return errors.Is(err, errorWriteProtect) }

// CheckOwner always returns nil: on Windows, access to the profile is limited by its access control
// list.
func CheckOwner(string, fs.FileInfo) error { return nil }
