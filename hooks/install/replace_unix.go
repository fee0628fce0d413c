//go:build unix

package install

import (
	"os"
	"syscall"
)

// keepOwner gives the new file to the old one's owner, as far as we may: root edits users' files.
func keepOwner(tmp, old string) {
	if st, err := os.Stat(old); err == nil {
		if sys, ok := st.Sys().(*syscall.Stat_t); ok {
			_ = os.Lchown(tmp, int(sys.Uid), int(sys.Gid))
		}
	}
}
