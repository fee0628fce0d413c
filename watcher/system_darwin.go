package watcher

import (
	"errors"

	"golang.org/x/sys/unix"
)

// cost returns the number of file descriptors that watching a folder takes, because kqueue opens
// every file in it.
func cost(d *dir) int { return 1 + len(d.files) + len(d.subs) }

var errMaxWatches = errors.New("the number of files that may be open is used up")

func watchHint(error) string { return "" }

// watchLimit raises the limit of open files to what the system allows this process, and returns how
// many the watches may use: half, because the rest of the daemon needs the others.
func watchLimit() int {
	var lim unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &lim) != nil {
		return 100
	}
	want := lim.Max
	if n, err := unix.SysctlUint32("kern.maxfilesperproc"); err == nil && uint64(n) < want {
		want = uint64(n)
	}
	if lim.Cur < want {
		raised := unix.Rlimit{Cur: want, Max: lim.Max}
		if unix.Setrlimit(unix.RLIMIT_NOFILE, &raised) == nil {
			lim.Cur = want
		}
	}
	return int(min(lim.Cur/2, 1<<16))
}

// networkMount reports whether a folder is on a file system that is not local.
func networkMount(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && st.Flags&unix.MNT_LOCAL == 0
}
