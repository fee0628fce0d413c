//go:build !linux && !darwin

package stage

import (
	"io/fs"
	"os"
)

// stat returns the identity of the file itself, not of what a link points to.
func stat(name string) (identity, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return identity{}, err
	}
	return of(info), nil
}

// statOpen returns the identity of an open file.
func statOpen(f *os.File) (identity, error) {
	info, err := f.Stat()
	if err != nil {
		return identity{}, err
	}
	return of(info), nil
}

func of(info fs.FileInfo) identity {
	id := identity{size: info.Size(), mtime: info.ModTime().UnixNano()}
	switch mode := info.Mode(); {
	case mode.IsRegular():
	case mode.IsDir():
		id.mode = fs.ModeDir
	case mode&fs.ModeSymlink != 0:
		id.mode = fs.ModeSymlink
	default:
		id.mode = fs.ModeIrregular
	}
	return id
}
