//go:build darwin || freebsd

package peer

import (
	"syscall"
	"unsafe"
)

// Of sys/un.h and sys/ucred.h. golang.org/x/sys/unix has them, too; but its name comes late in the order in which the
// packages of a program are initialized, and all before it would be initialized before a hook.
const (
	solLocal      = 0
	localPeercred = 1
	xucredVersion = 0
)

// xucred is struct xucred. FreeBSD's has a further member, which is not asked for.
type xucred struct {
	version uint32
	user    uint32
	_       int16 // number of groups
	_       [16]uint32
}

// userOf is the effective user of the process at the other end, as it was when that process connected or listened.
func userOf(fd uintptr) (user uint32, known bool, err error) {
	var cred xucred
	if err := getsockopt(fd, localPeercred, unsafe.Pointer(&cred), unsafe.Sizeof(cred)); err != nil {
		return 0, false, err
	}
	if cred.version != xucredVersion {
		return 0, false, syscall.EINVAL
	}
	return cred.user, true, nil
}

func getsockopt(fd, name uintptr, value unsafe.Pointer, size uintptr) error {
	length := uint32(size)
	_, _, errno := syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, solLocal, name, uintptr(value), uintptr(unsafe.Pointer(&length)), 0)
	if errno != 0 {
		return errno
	}
	return nil
}
