//go:build unix

package watcher

import (
	"os"
	"syscall"
)

// ownedByCaller follows git's rule: the effective user owns the path.
func ownedByCaller(path string) bool {
	st, err := os.Lstat(path)
	if err != nil {
		return true // who opens it gets the error
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	return !ok || int(sys.Uid) == os.Geteuid()
}
