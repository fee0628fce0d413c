package api

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// checkPeer refuses a caller of another user: the folder's mode should have, this is the second lock.
func checkPeer(conn net.Conn) error {
	u, ok := conn.(*net.UnixConn)
	if !ok {
		return nil
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return err
	}
	var cred *unix.Ucred
	if e := raw.Control(func(fd uintptr) { cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); e != nil {
		return e
	}
	return judge(cred, err)
}

func judge(cred *unix.Ucred, err error) error {
	if err != nil {
		return err
	}
	if int(cred.Uid) != os.Getuid() && cred.Uid != 0 {
		return fmt.Errorf("caller is user %d", cred.Uid)
	}
	return nil
}
