package watcher

import "io/fs"

// stampOf leaves the inode out: on Windows it takes an open file to learn it.
func stampOf(fi fs.FileInfo) stamp {
	return stamp{size: fi.Size(), mtime: fi.ModTime().UnixNano()}
}
