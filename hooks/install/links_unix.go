//go:build unix

package install

import (
	"io/fs"
	"syscall"
)

// hardLinked reports whether a file has another name. Replacing the file would break that link.
func hardLinked(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}
