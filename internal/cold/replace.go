package cold

import (
	"errors"
	"os"
)

// Replace gives a file a new content, mode 0600: written beside it and renamed, so that a reader finds the old content
// or the new one. When writing fails, on a full disk for example, the old content stays. It is not synced: after a power
// cut the file may be the old one, or empty. One process at a time may replace a file.
func Replace(name string, content []byte) error { return replace(name, content, false) }

// ReplaceSynced is Replace with the content on the disk before the file gets its name.
func ReplaceSynced(name string, content []byte) error { return replace(name, content, true) }

func replace(name string, content []byte, synced bool) error {
	beside := name + ".new" // always the same: one that was killed here leaves no more than that
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil && synced {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil { // only a file that is whole takes the other's place
		err = os.Rename(beside, name)
	}
	if err != nil {
		_ = os.Remove(beside) // the error that matters is the first
	}
	return err
}
