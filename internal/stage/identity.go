package stage

import (
	"io/fs"
	"time"
)

// identity is what tells, without reading it, that a file is the one that was read.
type identity struct {
	size, mtime, ctime int64 // bytes, unix ns; ctime is 0 where the system keeps none
	inode              uint64
	mode               fs.FileMode // type and executable bits
}

// Windows within which a file may change twice and look the same.
const (
	fineWindow   = 50 * time.Millisecond // clocks of kernels tick every 1 to 10 ms
	coarseWindow = 2 * time.Second       // FAT counts in two seconds, HFS+ and ext3 in one
)

// reliable reports whether the file, seen like this and read at or after seen, can not have been changed since
// without looking different: its times lie before the window. A time without milliseconds may come from a disk that
// counts in seconds.
func (i identity) reliable(seen time.Time) bool {
	last := max(i.mtime, i.ctime)
	window := fineWindow
	if i.mtime%int64(time.Millisecond) == 0 {
		window = coarseWindow
	}
	return last < seen.Add(-window).UnixNano()
}
