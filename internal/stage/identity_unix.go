//go:build linux || darwin

package stage

import (
	"io/fs"
	"os"
	"syscall"
)

// stat returns the identity of the file itself, not of what a link points to.
func stat(name string) (identity, error) {
	var st syscall.Stat_t
	for {
		switch err := syscall.Lstat(name, &st); err {
		case nil:
			return of(&st), nil
		case syscall.EINTR: // some network disks
		default:
			return identity{}, &os.PathError{Op: "lstat", Path: name, Err: err}
		}
	}
}

// statOpen returns the identity of an open file.
func statOpen(f *os.File) (identity, error) {
	info, err := f.Stat()
	if err != nil {
		return identity{}, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}, &os.PathError{Op: "stat", Path: f.Name(), Err: syscall.EINVAL}
	}
	return of(st), nil
}

func of(st *syscall.Stat_t) identity {
	m, c := times(st)
	id := identity{size: st.Size, mtime: m, ctime: c, inode: uint64(st.Ino), mode: fs.FileMode(st.Mode & 0o111)}
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
	case syscall.S_IFDIR:
		id.mode |= fs.ModeDir
	case syscall.S_IFLNK:
		id.mode |= fs.ModeSymlink
	default:
		id.mode |= fs.ModeIrregular // a pipe, a socket, a device: never read
	}
	return id
}
