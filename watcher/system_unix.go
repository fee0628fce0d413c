//go:build unix

package watcher

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByCaller reports whether the effective user owns the path, which is git's rule.
func ownedByCaller(path string) bool {
	st, err := os.Lstat(path)
	if err != nil {
		return true // the caller gets the error when it opens the path
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	return !ok || int(sys.Uid) == os.Geteuid()
}

func stampOf(fi fs.FileInfo) stamp {
	s := stamp{size: fi.Size(), mtime: fi.ModTime().UnixNano()}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		s.inode = uint64(st.Ino) // the type differs between Unix systems
	}
	return s
}
