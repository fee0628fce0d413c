package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// An exported file is zstd of lines of JSON: a head, events as in docs/json.md, and an end with the SHA-256 of all
// lines before it.
const (
	exportVersion = 1
	exportLine    = 4 << 20 // longest line in bytes; events are much shorter
	exportEvents  = 20_000_000
)

type exportHead struct {
	Version int `json:"aoa_events"`
}

type exportEnd struct {
	Events int    `json:"events"`
	Sum    string `json:"sha256"`
}

// eventWriter writes an exported file. close completes it.
type eventWriter struct {
	out    *zstd.Encoder
	sum    hash.Hash
	events int
}

func newEventWriter(to io.Writer) (*eventWriter, error) {
	out, err := zstd.NewWriter(to)
	if err != nil {
		return nil, err
	}
	w := &eventWriter{out: out, sum: sha256.New()}
	return w, w.line(exportHead{exportVersion})
}

func (w *eventWriter) line(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	b = append(b, '\n')
	w.sum.Write(b)
	_, err = w.out.Write(b)
	return err
}

func (w *eventWriter) add(e event.Event) error {
	w.events++
	return w.line(e)
}

func (w *eventWriter) close() error {
	return errors.Join(w.line(exportEnd{w.events, hex.EncodeToString(w.sum.Sum(nil))}), w.out.Close())
}

// readEvents calls fn with the events of a file and returns their number. Only at the end is it known that the file
// is complete.
func readEvents(name string, fn func(event.Event) error) (int, error) {
	f, err := regularfile.Open(name, regularfile.FollowLinks)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return decodeEvents(f, fn)
}

func decodeEvents(from io.Reader, fn func(event.Event) error) (int, error) {
	z, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return 0, err
	}
	defer z.Close()
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, exportLine)
	var head exportHead
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &head) != nil || head.Version == 0 {
		return 0, errors.Join(errors.New("aoa log --export did not write it"), lines.Err())
	}
	if head.Version > exportVersion {
		return 0, fmt.Errorf("it was made by a newer aoa (version %d, this one reads %d)", head.Version, exportVersion)
	}
	sum := sha256.New()
	hashed := func() { sum.Write(lines.Bytes()); sum.Write([]byte{'\n'}) }
	hashed()
	for n := 0; lines.Scan(); n++ {
		var end exportEnd
		if json.Unmarshal(lines.Bytes(), &end) == nil && end.Sum != "" {
			if end.Sum != hex.EncodeToString(sum.Sum(nil)) || end.Events != n || lines.Scan() || lines.Err() != nil {
				return n, errors.New("it is damaged: its checksum differs")
			}
			return n, nil
		}
		hashed()
		var e event.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return n, fmt.Errorf("it is damaged: event %d: %w", n, err)
		}
		if n == exportEvents {
			return n, fmt.Errorf("it holds more than %d events", exportEvents)
		}
		if err := fn(e); err != nil {
			return n, err
		}
	}
	return 0, errors.Join(errors.New("it is damaged: its end is missing"), lines.Err())
}
