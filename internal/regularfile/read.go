package regularfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Errors of a file that is not read. They are wrapped in an fs.PathError that names the file.
var (
	ErrKind = errors.New("it is not a regular file")
	ErrSize = errors.New("it is too large")
)

// Links says what a name may be.
type Links bool

const (
	NoLinks     Links = false // the name itself is the file; folders before it may be links
	FollowLinks Links = true  // the name may be a link, as users make them for settings in their homes
)

// Read returns the content of a regular file of at most most bytes. It is not nil if the error is
// nil. Errors: fs.ErrNotExist and others of the system, ErrKind, ErrSize.
func Read(name string, links Links, most int64) ([]byte, error) {
	f, err := Open(name, links)
	if err != nil {
		return nil, err
	}
	return readAll(f, name, most)
}

// ReadIn is like Read, for a file below dir. Links that lead out of dir are errors, others are
// followed.
func ReadIn(dir *os.Root, name string, most int64) ([]byte, error) {
	f, err := OpenIn(dir, name)
	if err != nil {
		return nil, err
	}
	return readAll(f, name, most)
}

// Open opens a regular file for reading, whatever its size: the caller bounds what it reads. Errors
// are those of Read but for ErrSize.
func Open(name string, links Links) (*os.File, error) {
	f, err := open(name, links)
	if err != nil {
		return nil, err
	}
	return checkKind(f, name)
}

// OpenIn is Open of a file below dir. Links that lead out of dir are errors, others are followed.
func OpenIn(dir *os.Root, name string) (*os.File, error) {
	f, err := openIn(dir, name)
	if err != nil {
		return nil, err
	}
	return checkKind(f, name)
}

// checkKind closes a file that is not regular.
func checkKind(f *os.File, name string) (*os.File, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: name, Err: ErrKind}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// readAll reads and closes the file. It does not rely on the size: some files of the system have
// size 0, and others grow meanwhile.
func readAll(f *os.File, name string, most int64) ([]byte, error) {
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var content bytes.Buffer
	if info.Size() <= most {
		content.Grow(int(info.Size()) + bytes.MinRead)
		_, err = content.ReadFrom(io.LimitReader(f, most+1))
	}
	if err == nil && max(info.Size(), int64(content.Len())) > most {
		err = &fs.PathError{Op: "read", Path: name, Err: ErrSize}
	}
	if err != nil {
		return nil, err
	}
	return content.Bytes(), nil
}
