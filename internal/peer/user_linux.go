package peer

import "syscall"

// userOf returns the effective user of the process at the other end at the time when it connected
// or listened.
func userOf(fd uintptr) (user uint32, known bool, err error) {
	cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return 0, false, err
	}
	return cred.Uid, true, nil
}

// processOf returns the ID of the process at the other end, 0 if it is not known.
func processOf(fd uintptr) int {
	cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return 0
	}
	return int(cred.Pid)
}
