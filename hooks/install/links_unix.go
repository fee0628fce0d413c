//go:build unix

package install

import (
	"io/fs"
	"syscall"
)

// hardLinked reports whether a file has a second name. Replacing the file would separate the two.
func hardLinked(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}
