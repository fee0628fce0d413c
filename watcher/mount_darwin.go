package watcher

import "golang.org/x/sys/unix"

// networkMount reports whether a folder lies on a file system that is not local.
func networkMount(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && st.Flags&unix.MNT_LOCAL == 0
}
