package regularfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Errors about a file that is not read. They are wrapped in an fs.PathError with the name of the
// file.
var (
	ErrKind = errors.New("it is not a regular file")
	ErrSize = errors.New("it is too large")
)

// Links says whether a name may be a symbolic link.
type Links bool

const (
	NoLinks     Links = false // the name must be the file itself; its folders may be links
	FollowLinks Links = true  // the name may be a link, as users make them for settings in their home folders
)

// Read returns the content of a regular file of at most most bytes. If the error is nil, the
// content is not nil. The error is ErrKind, ErrSize, fs.ErrNotExist or another one of the system.
func Read(name string, links Links, most int64) ([]byte, error) {
	f, err := Open(name, links)
	if err != nil {
		return nil, err
	}
	return readAll(f, name, most)
}

// ReadIn is like Read for a file below dir. Links that lead out of dir are errors, others are
// followed.
func ReadIn(dir *os.Root, name string, most int64) ([]byte, error) {
	f, err := OpenIn(dir, name)
	if err != nil {
		return nil, err
	}
	return readAll(f, name, most)
}

// Reason returns an error without the operation and the name of the file, for a caller that tells
// them itself.
func Reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// Open opens a regular file of any size for reading; the caller has to limit how much it reads. The
// errors are those of Read except ErrSize.
func Open(name string, links Links) (*os.File, error) {
	f, err := open(name, links)
	if err != nil {
		return nil, err
	}
	return checkKind(f, name)
}

// OpenIn is like Open for a file below dir. Links that lead out of dir are errors, others are
// followed.
func OpenIn(dir *os.Root, name string) (*os.File, error) {
	f, err := openIn(dir, name)
	if err != nil {
		return nil, err
	}
	return checkKind(f, name)
}

// checkKind closes the file and returns an error if it is not regular.
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

// readAll reads and closes the file. It does not rely on the reported size: some files of the
// system have size 0, and others grow meanwhile.
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

// Line returns the next line of a stream with its end, or its first most bytes if it is longer; the
// rest of a longer line is skipped. The error is io.EOF if the last line lacks its end.
func Line(in *bufio.Reader, most int) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part[:min(len(part), most-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
