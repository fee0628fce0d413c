package cold

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"filippo.io/age"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// SealedFile is a file of the store that is written as a whole. It is encrypted as a stream of
// package age whose key is sealed, and it is bound to its name.
type SealedFile struct {
	Name string // its path; its folder is created with mode 0700, but not the folders above
	Seal *Seal  // nil stores the stream's key unsealed
	// Replaced reports whether another store has taken the place of the file's: then it is not written.
	// It may be nil.
	Replaced func() bool
}

const maxSealedFile = 1 << 30 // bytes that Read accepts

// stanza is the type of the header line that has the sealed key.
const stanza = "aoa"

func (f SealedFile) keyOf() string { return "file " + filepath.Base(f.Name) }

// Wrap implements age.Recipient.
func (f SealedFile) Wrap(key []byte) ([]*age.Stanza, error) {
	return []*age.Stanza{{Type: stanza, Body: f.Seal.Seal(f.keyOf(), key)}}, nil
}

// Unwrap implements age.Identity.
func (f SealedFile) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	if len(stanzas) != 1 || stanzas[0].Type != stanza {
		return nil, ErrRow
	}
	return f.Seal.Open(f.keyOf(), stanzas[0].Body)
}

// Write replaces the file with what fill writes, with mode 0600. If there is an error the old file
// stays.
func (f SealedFile) Write(fill func(io.Writer) error) error {
	if f.Replaced != nil && f.Replaced() {
		return nil
	}
	if err := os.Mkdir(filepath.Dir(f.Name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return atomicfile.Write(f.Name, atomicfile.Options{}, func(to io.Writer) error {
		w, err := age.Encrypt(to, f)
		if err == nil {
			err = fill(w)
		}
		if err == nil {
			err = w.Close()
		}
		return err
	})
}

// Read returns the content of the file. The error is fs.ErrNotExist if there is no file, or if its key
// is lost, about which OpenSeal has warned. It wraps ErrRow if the file is damaged. Other errors are
// those of the system.
func (f SealedFile) Read() ([]byte, error) {
	from, err := regularfile.Open(f.Name, regularfile.NoLinks)
	if errors.Is(err, regularfile.ErrKind) {
		err = fmt.Errorf("%w: %w", ErrRow, err)
	}
	if err != nil {
		return nil, err
	}
	defer from.Close()
	info, err := from.Stat()
	if err == nil && info.Size() > maxSealedFile {
		err = fmt.Errorf("%w: it has %d bytes", ErrRow, info.Size())
	}
	var r io.Reader
	if err == nil {
		r, err = age.Decrypt(from, f)
	}
	var out bytes.Buffer
	if err == nil {
		out.Grow(int(info.Size()))
		_, err = out.ReadFrom(r)
	}
	switch {
	case keyLost(err):
		return nil, fs.ErrNotExist
	case err != nil:
		return nil, fmt.Errorf("%s: %w: %w", f.Name, ErrRow, err)
	}
	return out.Bytes(), nil
}

// Remove deletes the file, if there is one.
func (f SealedFile) Remove() error {
	if err := os.Remove(f.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
