package cold

import (
	"errors"
	"io"
	"os"
)

// Replace gives a file a new content, mode 0600: written beside it and renamed, so that a reader finds the old content
// or the new one. When writing fails, on a full disk for example, the old content stays. It is not synced: after a power
// cut the file may be the old one, or empty. One process at a time may replace a file.
func Replace(name string, content []byte) error { return replace(name, false, writer(content)) }

// ReplaceSynced is Replace with the content on the disk before the file gets its name.
func ReplaceSynced(name string, content []byte) error { return replace(name, true, writer(content)) }

func writer(content []byte) func(io.Writer) error {
	return func(to io.Writer) error {
		_, err := to.Write(content)
		return err
	}
}

// replace gives a file the content that fill writes.
func replace(name string, synced bool, fill func(io.Writer) error) error {
	beside := name + ".new" // always the same: one that was killed here leaves no more than that
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = fill(f)
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
