package api

import (
	"net"
	"syscall"
)

// withDescriptor runs fn with the descriptor of a connection. A connection without one has no other end to judge.
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
