package peer

import "unsafe"

const localPeerpid = 2 // of sys/un.h

// Process is the number of the process at the other end, 0 if it is not known.
func Process(fd uintptr) int {
	var pid int32
	if getsockopt(fd, localPeerpid, unsafe.Pointer(&pid), unsafe.Sizeof(pid)) != nil {
		return 0
	}
	return int(pid)
}
