package peer

import (
	"net"
	"os"
	"strconv"
	"syscall"
)

// Stranger is the error about a process or a folder that belongs to another user.
type Stranger struct{ User string }

func (s *Stranger) Error() string { return "it belongs to user " + s.User }

// Listener checks the process that listens on the socket to which conn is connected. socket is its
// path, whose folder is checked if the system does not tell the user. A client calls it after it
// has connected and before it sends anything. Checking the path before connecting is not enough,
// because folders can be renamed in between.
func Listener(conn net.Conn, socket string) error {
	return check(conn, func() error { return folder(socket) })
}

// Caller checks the process that has connected to a server. If the system does not tell its user,
// only the mode 0700 of the socket's folder keeps others out.
func Caller(conn net.Conn) error {
	return check(conn, func() error { return nil })
}

// check returns an error unless the other end belongs to this user or to root. If the system does not
// tell the user, unknown decides.
func check(conn net.Conn, unknown func() error) error {
	return withDescriptor(conn, func(fd uintptr) error {
		user, known, err := userOf(fd)
		switch {
		case err != nil:
			return err
		case !known:
			return unknown()
		case user != 0 && int(user) != os.Getuid():
			return &Stranger{strconv.Itoa(int(user))}
		}
		return nil
	})
}

// Process returns the ID of the process at the other end, 0 if it is not known.
func Process(conn net.Conn) (pid int) {
	_ = withDescriptor(conn, func(fd uintptr) error { pid = processOf(fd); return nil })
	return pid
}

// withDescriptor calls fn with the descriptor of a connection. It does nothing for a connection
// without one, such as a pipe in memory.
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
