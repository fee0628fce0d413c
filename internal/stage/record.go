package stage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Record has the output of a run, in order, and the files that the run made.
type Record struct {
	Frames []Frame `json:"frames,omitempty"`
	Files  []File  `json:"files,omitempty"`
}

// Frame is a piece of output.
type Frame struct {
	Stream int    `json:"stream"` // 1: stdout, 2: stderr
	Data   []byte `json:"data"`
}

// File is a file that the step made.
type File struct {
	Path event.Path `json:"path"`
	Mode uint32     `json:"mode"`           // permission bits
	Link bool       `json:"link,omitempty"` // it is a link; Data is its target
	Data []byte     `json:"data"`
}

// The streams.
const (
	Stdout = 1
	Stderr = 2
)

// ErrRecord means that a record is not valid.
var ErrRecord = errors.New("the record is damaged")

// size returns the number of bytes of output and files.
func (r *Record) size() (n int64) {
	for _, f := range r.Frames {
		n += int64(len(f.Data))
	}
	for _, f := range r.Files {
		n += int64(len(f.Data))
	}
	return n
}

// check returns an error if a record that a client sent is missing or wrong.
func (r *Record) check() error {
	if r == nil {
		return fmt.Errorf("%w: it is missing", ErrRecord)
	}
	for _, f := range r.Frames {
		if f.Stream != Stdout && f.Stream != Stderr {
			return fmt.Errorf("%w: stream %d", ErrRecord, f.Stream)
		}
	}
	for _, f := range r.Files {
		if p, err := event.NewPath(string(f.Path)); err != nil || p != f.Path || f.Mode > 0o777 {
			return fmt.Errorf("%w: file %.40q of mode %o", ErrRecord, f.Path, f.Mode)
		}
	}
	return nil
}

// Output returns the bytes of a stream.
func (r *Record) Output(stream int) (out []byte) {
	for _, f := range r.Frames {
		if f.Stream == stream {
			out = append(out, f.Data...)
		}
	}
	return out
}

// Recorder stores output while passing it on, up to a limit. Its writers may be used concurrently.
type Recorder struct {
	mu     sync.Mutex
	left   int64 // number of bytes that still fit; negative if there were too many
	failed error
	record Record
}

// NewRecorder returns a Recorder that stores at most limit bytes of output and files.
func NewRecorder(limit int64) *Recorder { return &Recorder{left: limit} }

// Writer returns the writer for a stream. It also writes to w, unless w is nil.
func (r *Recorder) Writer(stream int, w io.Writer) io.Writer { return &tap{r, stream, w} }

type tap struct {
	r      *Recorder
	stream int
	on     io.Writer
}

func (t *tap) Write(p []byte) (int, error) {
	t.r.keep(t.stream, p)
	if t.on == nil {
		return len(p), nil
	}
	n, err := t.on.Write(p)
	if err != nil {
		t.r.mu.Lock()
		t.r.failed = err
		t.r.mu.Unlock()
	}
	return n, err
}

func (r *Recorder) keep(stream int, p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.fits(len(p)) {
		return
	}
	if n := len(r.record.Frames); n > 0 && r.record.Frames[n-1].Stream == stream {
		r.record.Frames[n-1].Data = append(r.record.Frames[n-1].Data, p...)
		return
	}
	r.record.Frames = append(r.record.Frames, Frame{stream, bytes.Clone(p)})
}

// fits counts bytes. When there are too many everything is dropped, because a part of an output is
// useless.
func (r *Recorder) fits(n int) bool {
	if r.left -= int64(n); r.left < 0 {
		r.left, r.record = -1, Record{}
	}
	return r.left >= 0
}

// add adds a file.
func (r *Recorder) add(f File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fits(len(f.Data)) {
		r.record.Files = append(r.record.Files, f)
	}
}

// Record returns the record; ok is false if it was too large. err is the first error of writing to
// the w of a stream; the record is then complete, but the caller may not have printed all of it.
func (r *Recorder) Record() (rec *Record, ok bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &r.record, r.left >= 0, r.failed
}
