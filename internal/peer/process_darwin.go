package peer

import "golang.org/x/sys/unix"

// processOf returns the ID of the process at the other end, 0 if it is not known.
func processOf(fd uintptr) int {
	pid, err := unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		return 0
	}
	return pid
}
