//go:build unix

package peer

import (
	"os"
	"syscall"
)

// folder judges the folder of a socket by an open descriptor: it belongs to this user, and nobody else can write to it.
func folder(socket string) error {
	f, err := os.Open(parent(socket))
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
		return refusal("it is in no folder")
	case int(sys.Uid) != os.Getuid():
		return &Stranger{decimal(sys.Uid)}
	case st.Mode().Perm()&0o022 != 0:
		return refusal("others can write to its folder")
	}
	return nil
}
