package peer

import "syscall"

// userOf is the effective user of the process at the other end, as it was when that process
// connected or listened.
func userOf(fd uintptr) (user uint32, known bool, err error) {
	cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return 0, false, err
	}
	return cred.Uid, true, nil
}

// processOf is the number of the process at the other end, 0 if it is not known.
func processOf(fd uintptr) int {
	cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return 0
	}
	return int(cred.Pid)
}
