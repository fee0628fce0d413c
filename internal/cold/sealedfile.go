package cold

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// SealedFile is a file of the store that is written whole and sealed in pieces, so that neither side needs it twice
// in memory. A piece is bound to the name of the file and to its place in it, and the last one is marked: pieces
// cannot be taken out or moved.
type SealedFile struct {
	Name string // its path; the folder is made, 0700, but none above it
	Seal *Seal  // nil stores it open
}

const (
	maxPiece      = 1 << 20
	maxSealedFile = 1 << 30 // bytes that Read takes
)

// pieceOf says what a piece belongs to.
func (f SealedFile) pieceOf(n int, last bool) string {
	return fmt.Sprintf("file %s %d %v", filepath.Base(f.Name), n, last)
}

// Write replaces the file, mode 0600, with what fill writes. On an error the old one stays.
func (f SealedFile) Write(fill func(io.Writer) error) error {
	if err := os.Mkdir(filepath.Dir(f.Name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return atomicfile.Write(f.Name, atomicfile.Options{}, func(to io.Writer) error {
		p := &pieceWriter{file: f, to: to, piece: make([]byte, 0, maxPiece)}
		if err := fill(p); err != nil {
			return err
		}
		return p.flush(true)
	})
}

// pieceWriter seals what is written to it, piece by piece.
type pieceWriter struct {
	file  SealedFile
	to    io.Writer
	piece []byte
	n     int // pieces
}

func (w *pieceWriter) Write(b []byte) (int, error) {
	written := len(b)
	for len(b) > 0 {
		if len(w.piece) == maxPiece {
			if err := w.flush(false); err != nil {
				return 0, err
			}
		}
		n := min(len(b), maxPiece-len(w.piece))
		w.piece, b = append(w.piece, b[:n]...), b[n:]
	}
	return written, nil
}

// flush writes the length of a piece in 4 bytes, and the piece.
func (w *pieceWriter) flush(last bool) error {
	sealed := w.file.Seal.Seal(w.file.pieceOf(w.n, last), w.piece)
	w.n, w.piece = w.n+1, w.piece[:0]
	_, err := w.to.Write(binary.BigEndian.AppendUint32(nil, uint32(len(sealed))))
	if err == nil {
		_, err = w.to.Write(sealed)
	}
	return err
}

// Read returns what was written. The error is that of the system (fs.ErrNotExist: there is none), or wraps ErrRow
// when the file is damaged, ErrLostKey when its key is not there.
func (f SealedFile) Read() ([]byte, error) {
	from, err := regularfile.Open(f.Name, regularfile.NoLinks)
	if errors.Is(err, regularfile.ErrKind) {
		return nil, fmt.Errorf("%w: %w", ErrRow, err)
	}
	if err != nil {
		return nil, err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSealedFile {
		return nil, fmt.Errorf("%s: %w: it has %d bytes", f.Name, ErrRow, info.Size())
	}
	out, sealed := make([]byte, 0, info.Size()), []byte(nil)
	left := info.Size()
	for n := 0; left > 0; n++ {
		var head [4]byte
		if _, err := io.ReadFull(from, head[:]); err != nil {
			return nil, f.damaged(err)
		}
		size := int64(binary.BigEndian.Uint32(head[:]))
		if left -= 4 + size; left < 0 || size > maxPiece+1024 {
			return nil, f.damaged(io.ErrUnexpectedEOF)
		}
		sealed = append(sealed[:0], make([]byte, size)...)
		if _, err := io.ReadFull(from, sealed); err != nil {
			return nil, f.damaged(err)
		}
		piece, err := f.Seal.Open(f.pieceOf(n, left == 0), sealed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		out = append(out, piece...)
	}
	if info.Size() == 0 {
		return nil, f.damaged(io.ErrUnexpectedEOF)
	}
	return out, nil
}

func (f SealedFile) damaged(err error) error {
	return fmt.Errorf("%s: %w: %w", f.Name, ErrRow, err)
}

// Remove deletes the file, if there is one.
func (f SealedFile) Remove() error {
	if err := os.Remove(f.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
