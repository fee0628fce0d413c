package watcher

import "golang.org/x/sys/unix"

// networkMount reports whether a folder lies on a file system whose changes by others inotify does not see.
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

// vboxMagic is VirtualBox's shared folder, which has no name in the kernel's headers.
const vboxMagic = 0x786f4256
