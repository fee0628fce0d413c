package peer

import (
	"net"
	"os"
	"strconv"
	"syscall"
)

// Stranger is the error of a peer, or of a folder, that belongs to another user.
type Stranger struct{ User string }

func (s *Stranger) Error() string { return "it belongs to user " + s.User }

// Listener judges the process that listens on the socket that conn is connected to. socket is its
// path: it counts where the system does not name the user. A client calls it after it has connected
// and before it sends anything. A look at the path before it connects is not enough: folders can be
// renamed in between.
func Listener(conn net.Conn, socket string) error {
	return withDescriptor(conn, func(fd uintptr) error {
		user, known, err := userOf(fd)
		if err != nil {
			return err
		}
		if !known {
			return folder(socket)
		}
		return judge(user)
	})
}

// Caller judges the process that has connected to a server. Where the system does not name its
// user, the mode of the socket's folder, 0700, has to keep others out.
func Caller(conn net.Conn) error {
	return withDescriptor(conn, func(fd uintptr) error {
		user, known, err := userOf(fd)
		if err != nil || !known {
			return err
		}
		return judge(user)
	})
}

// Process is the number of the process at the other end, 0 if it is not known.
func Process(conn net.Conn) (pid int) {
	_ = withDescriptor(conn, func(fd uintptr) error { pid = processOf(fd); return nil })
	return pid
}

// withDescriptor runs fn with the descriptor of a connection. A connection without one has no other
// end to judge.
func withDescriptor(conn net.Conn, fn func(fd uintptr) error) error {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	if e := raw.Control(func(fd uintptr) { err = fn(fd) }); e != nil {
		return e
	}
	return err
}

func judge(user uint32) error {
	if user != 0 && int(user) != os.Getuid() {
		return &Stranger{strconv.Itoa(int(user))}
	}
	return nil
}
