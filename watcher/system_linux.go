package watcher

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// cost returns the number of watches that a folder takes: one, however many files it has.
func cost(*dir) int { return 1 }

var errMaxWatches = errors.New("aOa takes at most half of the file watches that the system allows a user")

// watchLimit returns half of the watches that a user may have, because other programs and
// repositories need some, too. It returns 0 if the limit is unknown. In a container the limit of
// its user namespace counts as well.
func watchLimit() int { return maxUserWatches() / 2 }

func maxUserWatches() int {
	most := 0
	for _, name := range []string{"/proc/sys/fs/inotify/max_user_watches", "/proc/sys/user/max_inotify_watches"} {
		raw, _ := regularfile.Read(name, regularfile.NoLinks, 64)
		if n, err := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil && n > 0 && (most == 0 || n < most) {
			most = n
		}
	}
	return most
}

// watchHint returns the command that raises the limit which err is about, "" if none is known.
func watchHint(err error) string {
	switch {
	case errors.Is(err, errMaxWatches) || errors.Is(err, syscall.ENOSPC):
		return fmt.Sprintf("sudo sysctl fs.inotify.max_user_watches=%d, then aoa daemon stop",
			max(524288, 2*maxUserWatches()))
	case errors.Is(err, syscall.EMFILE):
		return "sudo sysctl fs.inotify.max_user_instances=1024, then aoa daemon stop"
	}
	return ""
}

// networkMount reports whether a folder is on a file system where inotify does not see the changes
// made by other machines.
func networkMount(dir string) bool {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return false
	}
	switch uint32(st.Type) { // the magic numbers are 32 bits
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC,
		unix.FUSE_SUPER_MAGIC, unix.V9FS_MAGIC, unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CEPH_SUPER_MAGIC,
		unix.CODA_SUPER_MAGIC, unix.NCP_SUPER_MAGIC, vboxMagic:
		return true
	}
	return false
}

// vboxMagic identifies a shared folder of VirtualBox; the kernel's headers have no name for it.
const vboxMagic = 0x786f4256
