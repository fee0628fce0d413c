//go:build unix && !linux

package client

import (
	"syscall"
	"unsafe"
)

// selectRead waits at most left microseconds for fd to become readable.
func selectRead(fd int, left int64) (bool, error) {
	set, ok := fdSet(fd)
	if !ok {
		return false, syscall.EINVAL
	}
	tv := syscall.NsecToTimeval(left * 1000)
	err := syscall.Select(fd+1, &set, nil, nil, &tv)
	bytes := (*[unsafe.Sizeof(set)]byte)(unsafe.Pointer(&set))
	return bytes[fd/8]&(1<<(fd%8)) != 0, err
}

func sleepFor(tv *syscall.Timeval) error { return syscall.Select(0, nil, nil, nil, tv) }
