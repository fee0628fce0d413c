//go:build unix

package watcher

import (
	"io/fs"
	"syscall"
)

func stampOf(fi fs.FileInfo) stamp {
	s := stamp{size: fi.Size(), mtime: fi.ModTime().UnixNano()}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		s.inode = uint64(st.Ino) // not uint64 on every unix
	}
	return s
}
