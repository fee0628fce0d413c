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

// replaceFile replaces the content of a file. It refuses if the content is no longer old (nil: if
// the file exists by now), because someone else has just written it.
func replaceFile(name string, old, content []byte, mode fs.FileMode) error {
	return atomicfile.WriteBytes(name, atomicfile.Options{Mode: mode, Check: func() error {
		now, _, err := readIfThere(name)
		if err == nil && (!bytes.Equal(now, old) || (now == nil) != (old == nil)) {
			err = fmt.Errorf("%s was changed by someone else meanwhile; try again", name)
		}
		return err
	}}, content)
}

// maxSettings is the largest settings file that is edited, in bytes. 300,000 keys would take 2.6 s.
const maxSettings = 1 << 20

// readIfThere reads a file. If the file does not exist, content is nil, and mode is the mode for a
// new file. For an empty file content is not nil.
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

// write replaces a file like replaceFile, and creates the folder of a new one. After an error the
// created folders are removed again.
func write(name string, old []byte, mode fs.FileMode, content []byte, done string) (Change, error) {
	var missing []string // folders to create, the deepest first
	for dir := filepath.Dir(name); old == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, dir)
	}
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = replaceFile(name, old, content, mode)
	}
	if err != nil {
		for _, dir := range missing {
			_ = os.Remove(dir) // fails if somebody has put something into it, which is right
		}
		return Change{}, fmt.Errorf("write %s: %w", name, err)
	}
	return Change{File: name, Done: done}, nil
}
