//go:build unix

package watcher

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByCaller follows git's rule: the effective user owns the path.
func ownedByCaller(path string) bool {
	st, err := os.Lstat(path)
	if err != nil {
		return true // the caller that opens it gets the error
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	return !ok || int(sys.Uid) == os.Geteuid()
}

func stampOf(fi fs.FileInfo) stamp {
	s := stamp{size: fi.Size(), mtime: fi.ModTime().UnixNano()}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		s.inode = uint64(st.Ino) // not uint64 on every unix
	}
	return s
}
