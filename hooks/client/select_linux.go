package client

import "syscall"

// selectRead waits at most left microseconds for fd to become readable.
func selectRead(fd int, left int64) (bool, error) {
	set, ok := fdSet(fd)
	if !ok {
		return false, syscall.EINVAL
	}
	tv := syscall.NsecToTimeval(left * 1000)
	n, err := syscall.Select(fd+1, &set, nil, nil, &tv)
	return n > 0, err
}

func sleepFor(tv *syscall.Timeval) error {
	_, err := syscall.Select(0, nil, nil, nil, tv)
	return err
}
