package stage

import (
	"io/fs"
	"os"
	"time"
)

// identity is what identifies the content of a file without reading it.
type identity struct {
	size, mtime, ctime int64 // bytes, unix ns; ctime is 0 where the system keeps none
	inode              uint64
	mode               fs.FileMode // type and executable bits
}

// stat returns the identity of a file itself, not of what a link points to.
func stat(name string) (identity, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return identity{}, err
	}
	return identityOf(info), nil
}

// statOpen returns the identity of an open file.
func statOpen(f *os.File) (identity, error) {
	info, err := f.Stat()
	if err != nil {
		return identity{}, err
	}
	return identityOf(info), nil
}

func identityOf(info fs.FileInfo) identity {
	id := identity{size: info.Size(), mtime: info.ModTime().UnixNano(), mode: info.Mode() & 0o111}
	id.ctime, id.inode = changed(info)
	switch mode := info.Mode(); {
	case mode.IsRegular():
	case mode.IsDir():
		id.mode |= fs.ModeDir
	case mode&fs.ModeSymlink != 0:
		id.mode |= fs.ModeSymlink
	default:
		id.mode |= fs.ModeIrregular // a pipe, a socket, a device: never read
	}
	return id
}

// Windows within which two changes of a file may have the same times.
const (
	fineWindow   = 50 * time.Millisecond // clocks of kernels tick every 1 to 10 ms
	coarseWindow = 2 * time.Second       // FAT counts in two seconds, HFS+ and ext3 in one
)

// reliable reports whether a file with this identity, read at or after seen, cannot change without another identity:
// its times are older than the window. A time without milliseconds may be of a disk that counts in seconds.
func (i identity) reliable(seen time.Time) bool {
	last := max(i.mtime, i.ctime)
	window := fineWindow
	if i.mtime%int64(time.Millisecond) == 0 {
		window = coarseWindow
	}
	return last < seen.Add(-window).UnixNano()
}
