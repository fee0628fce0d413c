package regularfile

import (
	"io/fs"
	"os"
)

// open checks the name before and after opening, because Windows has no flag that refuses links:
// the opened file must be the one that the name showed.
func open(name string, links Links) (*os.File, error) {
	if links == FollowLinks {
		return os.Open(name)
	}
	before, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	foreign := &fs.PathError{Op: "read", Path: name, Err: ErrKind}
	if !before.Mode().IsRegular() {
		return nil, foreign
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !os.SameFile(before, info) {
		_ = f.Close()
		return nil, foreign
	}
	return f, nil
}

func openIn(dir *os.Root, name string) (*os.File, error) { return dir.Open(name) }
