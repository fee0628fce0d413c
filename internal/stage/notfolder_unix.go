//go:build !windows

package stage

import (
	"errors"
	"syscall"
)

// notFolder reports whether a part of the path that should be a folder is something else.
func notFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
