//go:build unix

package peer

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// folder checks the folder of a socket through an open descriptor: it must belong to this user, and
// no other user may write to it.
func folder(socket string) error {
	f, err := os.Open(filepath.Dir(socket))
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	switch {
	case !ok || !st.IsDir():
		return errors.New("it is in no folder")
	case int(sys.Uid) != os.Getuid():
		return &Stranger{strconv.Itoa(int(sys.Uid))}
	case st.Mode().Perm()&0o022 != 0:
		return errors.New("others can write to its folder")
	}
	return nil
}
