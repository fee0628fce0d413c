package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// replaceFile gives a file another content. It refuses when the file no longer holds old (nil: when it exists by
// now): someone else has just written it.
func replaceFile(name string, old, content []byte, mode fs.FileMode) error {
	return atomicfile.WriteBytes(name, atomicfile.Options{Mode: mode, Check: func() error {
		now, _, err := readIfThere(name)
		if err == nil && (!bytes.Equal(now, old) || (now == nil) != (old == nil)) {
			err = fmt.Errorf("%s was changed by someone else meanwhile; try again", name)
		}
		return err
	}}, content)
}

// maxSettings is how large a file may be that is edited, in bytes: 300,000 keys would take 2.6 s.
const maxSettings = 1 << 20

// readIfThere reads a file. The content is nil if there is none, and not nil of an empty one; mode is that of a new
// file then.
func readIfThere(name string) (content []byte, mode fs.FileMode, err error) {
	content, err = regularfile.Read(name, regularfile.FollowLinks, maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0o644, nil
	}
	if err != nil {
		return nil, 0, err
	}
	st, err := os.Stat(name)
	if err != nil {
		return nil, 0, err
	}
	return append([]byte{}, content...), st.Mode().Perm(), nil
}

// write replaces a file as replaceFile does, and makes the folder of a new one.
func write(name string, old []byte, mode fs.FileMode, content []byte, done string) (Change, error) {
	if old == nil {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return Change{}, fmt.Errorf("write %s: %w", name, err)
		}
	}
	if err := replaceFile(name, old, content, mode); err != nil {
		return Change{}, fmt.Errorf("write %s: %w", name, err)
	}
	return Change{File: name, Done: done}, nil
}
