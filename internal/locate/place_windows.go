package locate

import (
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

// CheckOwner always returns nil: on Windows, access to the profile is limited by its access control
// list.
func CheckOwner(string, fs.FileInfo) error { return nil }
