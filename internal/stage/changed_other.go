//go:build !linux && !darwin

package stage

import "io/fs"

func changed(fs.FileInfo) (ctime int64, inode uint64) { return 0, 0 }
