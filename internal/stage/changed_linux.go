package stage

import (
	"io/fs"
	"syscall"
)

func changed(info fs.FileInfo) (ctime int64, inode uint64) {
	st := info.Sys().(*syscall.Stat_t)
	return st.Ctim.Nano(), st.Ino
}
