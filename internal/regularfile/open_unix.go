//go:build unix

package regularfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// flags makes opening not wait for the writer of a pipe, and not make a terminal the controlling
// terminal of the daemon.
const flags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

func open(name string, links Links) (*os.File, error) {
	if links == FollowLinks {
		return os.OpenFile(name, flags, 0)
	}
	f, err := os.OpenFile(name, flags|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EMLINK) { // FreeBSD returns EMLINK
		return nil, &fs.PathError{Op: "read", Path: name, Err: ErrKind}
	}
	return f, err
}

func openIn(dir *os.Root, name string) (*os.File, error) { return dir.OpenFile(name, flags, 0) }
