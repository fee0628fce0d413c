//go:build darwin || freebsd

package peer

import "golang.org/x/sys/unix"

// userOf returns the effective user of the process at the other end at the time when it connected
// or listened.
func userOf(fd uintptr) (user uint32, known bool, err error) {
	cred, err := unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, false, err
	}
	return cred.Uid, true, nil
}
