package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile writes beside the file and renames, so that a reader sees the old bytes or the new ones. It
// refuses when the file no longer holds old (nil: when it exists by now): someone else has just written it.
func replaceFile(name string, old, content []byte, mode fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".aoa-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails once it is renamed
	_, err = tmp.Write(content)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		keepOwner(tmp.Name(), name)
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	now, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		now, err = nil, nil
	}
	if err != nil {
		return err
	}
	if !bytes.Equal(now, old) || (now == nil) != (old == nil) {
		return fmt.Errorf("%s was changed by someone else meanwhile; try again", name)
	}
	return os.Rename(tmp.Name(), name)
}
