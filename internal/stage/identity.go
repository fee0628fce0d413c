package stage

import (
	"io/fs"
	"time"
)

// identity is what identifies the content of a file without reading it.
type identity struct {
	size, mtime, ctime int64 // bytes, unix ns; ctime is 0 where the system keeps none
	inode              uint64
	mode               fs.FileMode // type and executable bits
}

// Windows within which two changes of a file may have the same times.
const (
	fineWindow   = 50 * time.Millisecond // clocks of kernels tick every 1 to 10 ms
	coarseWindow = 2 * time.Second       // FAT counts in two seconds, HFS+ and ext3 in one
)

// reliable reports whether a file with this identity, read at or after seen, cannot change without another identity: its times are older
// than the window. A time without milliseconds may be of a disk that counts in seconds.
func (i identity) reliable(seen time.Time) bool {
	last := max(i.mtime, i.ctime)
	window := fineWindow
	if i.mtime%int64(time.Millisecond) == 0 {
		window = coarseWindow
	}
	return last < seen.Add(-window).UnixNano()
}
