package stage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Record is what a run printed, in the order in which it did, and the files that it made.
type Record struct {
	Frames []Frame
	Files  []File
}

// Frame is a piece of output.
type Frame struct {
	Stream int // 1: stdout, 2: stderr
	Data   []byte
}

// File is a file that the step made.
type File struct {
	Path event.Path
	Mode uint32 // permission bits
	Link bool   // Data is where it points to
	Data []byte
}

// The streams.
const (
	Stdout = 1
	Stderr = 2
)

// ErrRecord is wrapped when bytes are no record.
var ErrRecord = errors.New("the record is damaged")

const (
	magic     = "aoa stage record 1\n"
	frameFile = 'f'
	frameLink = 'l'
	frameEnd  = '.'
)

// Append writes the record's form: the magic, then frames of a kind (1 and 2: output; f: file, l: link, both with name
// and mode; ".": the end), a length and that many bytes.
func (r *Record) Append(b []byte) []byte {
	b = append(b, magic...)
	for _, f := range r.Frames {
		b = append(binary.AppendUvarint(append(b, byte(f.Stream)), uint64(len(f.Data))), f.Data...)
	}
	for _, f := range r.Files {
		kind := byte(frameFile)
		if f.Link {
			kind = frameLink
		}
		b = appendText(append(b, kind), string(f.Path))
		b = binary.AppendUvarint(b, uint64(f.Mode))
		b = append(binary.AppendUvarint(b, uint64(len(f.Data))), f.Data...)
	}
	return append(b, frameEnd)
}

// DecodeRecord reads what Append wrote. The record shares memory with b.
func DecodeRecord(b []byte) (*Record, error) {
	b, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok {
		return nil, fmt.Errorf("%w: it does not begin like one", ErrRecord)
	}
	r := &Record{}
	for len(b) > 0 {
		kind := b[0]
		b = b[1:]
		switch kind {
		case frameEnd:
			if len(b) > 0 {
				return nil, fmt.Errorf("%w: %d bytes after its end", ErrRecord, len(b))
			}
			return r, nil
		case Stdout, Stderr:
			var data []byte
			if data, b, ok = cutBytes(b); !ok {
				return nil, fmt.Errorf("%w: a frame is cut off", ErrRecord)
			}
			r.Frames = append(r.Frames, Frame{int(kind), data})
		case frameFile, frameLink:
			var f File
			var err error
			if f, b, err = cutFile(b, kind == frameLink); err != nil {
				return nil, err
			}
			r.Files = append(r.Files, f)
		default:
			return nil, fmt.Errorf("%w: a frame of kind %d", ErrRecord, kind)
		}
	}
	return nil, fmt.Errorf("%w: its end is missing", ErrRecord)
}

func cutFile(b []byte, link bool) (File, []byte, error) {
	name, b, ok := cutText(b)
	p, err := event.NewPath(name)
	if !ok || err != nil || string(p) != name {
		return File{}, nil, fmt.Errorf("%w: a file's name is %.40q", ErrRecord, name)
	}
	mode, b, ok := cutUint(b)
	if !ok || mode > 0o777 {
		return File{}, nil, fmt.Errorf("%w: mode %o of %s", ErrRecord, mode, p.Display())
	}
	data, b, ok := cutBytes(b)
	if !ok {
		return File{}, nil, fmt.Errorf("%w: %s is cut off", ErrRecord, p.Display())
	}
	return File{p, uint32(mode), link, data}, b, nil
}

func cutBytes(b []byte) (data, rest []byte, ok bool) {
	n, b, ok := cutUint(b)
	if !ok || n > uint64(len(b)) {
		return nil, nil, false
	}
	return b[:n:n], b[n:], true
}

// Output returns the bytes of a stream.
func (r *Record) Output(stream int) []byte {
	var out []byte
	for _, f := range r.Frames {
		if f.Stream == stream {
			out = append(out, f.Data...)
		}
	}
	return out
}

// Recorder keeps output while it passes it on, up to a limit. Its writers may be used concurrently.
type Recorder struct {
	mu     sync.Mutex
	limit  int64
	size   int64
	over   bool
	failed error
	record Record
}

// NewRecorder returns one that keeps at most limit bytes of output and files.
func NewRecorder(limit int64) *Recorder { return &Recorder{limit: limit} }

// Writer returns the writer of a stream, which also writes to w. w may be nil.
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
	if !r.fits(int64(len(p))) {
		return
	}
	if n := len(r.record.Frames); n > 0 && r.record.Frames[n-1].Stream == stream {
		r.record.Frames[n-1].Data = append(r.record.Frames[n-1].Data, p...)
		return
	}
	r.record.Frames = append(r.record.Frames, Frame{stream, bytes.Clone(p)})
}

// fits counts bytes. Once they are too many, everything is dropped: part of an output is useless.
func (r *Recorder) fits(n int64) bool {
	r.size += n
	if r.size > r.limit {
		r.over, r.record = true, Record{}
	}
	return !r.over
}

// Add keeps a file.
func (r *Recorder) Add(f File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fits(int64(len(f.Data))) {
		r.record.Files = append(r.record.Files, f)
	}
}

// Left is how many more bytes fit.
func (r *Recorder) Left() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(0, r.limit-r.size)
}

// Record returns what was kept; ok is false when it was too much. err is the first error of writing to a stream's w:
// the record is complete, but the caller may not have printed all of it.
func (r *Recorder) Record() (rec *Record, ok bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &r.record, !r.over, r.failed
}
