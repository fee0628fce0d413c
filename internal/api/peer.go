package api

import (
	"fmt"
	"net"
	"path/filepath"
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

// foreign is the refusal of a socket, or of the folder for one, that is not the caller's own.
func foreign(socket string, err error) error {
	return &Error{Code: CodeForeign, Message: fmt.Sprintf("refuse socket %s: %v", socket, err),
		Hint: fmt.Sprintf("ls -ld %s shows whose it is: it has to be yours, or gone; or set AOA_STORE to a folder of yours with a short path", filepath.Dir(socket))}
}
