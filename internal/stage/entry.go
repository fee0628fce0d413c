package stage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Entry is one kept result, without what it printed. Times are UTC.
type Entry struct {
	Key      string
	Stage    string
	Created  time.Time
	Used     time.Time
	Hits     int
	TTL      int64 // of the run that made it, in ms; 0: none
	Exit     int
	Duration int64 // of that run, in ms
	Bytes    int64 // of the record
	Stdout   int64
	Stderr   int64
	Files    int
	Command  string // redacted
	Model    string
}

// storedEntry is an entry as it is stored beside its record: with the patterns by which the same dependencies are found
// again, and with what its key was made of.
type storedEntry struct {
	Entry
	Deps     []string `json:",omitempty"`
	Outputs  []string `json:",omitempty"`
	Template string   `json:",omitempty"`
	Inputs   []byte   `json:",omitempty"` // packed key parts; nil if they are too many to be stored
}

// ErrNoEntry is wrapped when nothing of that name or key is kept.
var ErrNoEntry = errors.New("no such stage or key")

// maxInputsStored bounds the stored key parts of one entry, in bytes: some 70,000 dependencies.
const maxInputsStored = 4 << 20

// decodeEntry reads the stored form of an entry.
func decodeEntry(v cold.Blob) (e storedEntry, err error) {
	if err = json.Unmarshal(v.Meta, &e); err == nil && e.Key != v.Key {
		err = fmt.Errorf("the entry is that of %.40q", e.Key)
	}
	e.Created, e.Used = v.Written, v.Used
	return e, err
}

// entries returns entries of a stage, or of all where it is "", the newest first. Entries that cannot be read are left
// out.
func (c *Cache) entries(ctx context.Context, stage string, limit int) (out []storedEntry, err error) {
	found, _, err := c.results.List(ctx, cold.Selection{Part: stage, Limit: limit})
	for _, v := range found {
		if e, err := decodeEntry(v); err == nil {
			out = append(out, e)
		}
	}
	return out, err
}

// refusal is the reason why an entry does not answer a request, "" if it does.
func (e *Entry) refusal(r *Request, now time.Time) string {
	age := max(0, now.Sub(e.Created)) // clocks go back
	switch {
	case e.Exit != 0 && !r.Failures:
		return fmt.Sprintf("the kept run failed with exit code %d", e.Exit)
	case r.TTL > 0 && age >= r.TTL:
		return fmt.Sprintf("the kept result is %s old, the ttl is %s", age.Round(time.Second), r.TTL)
	}
	return ""
}

// load returns an entry with its record. One that is damaged, or whose key is lost, is dropped with one warning.
func (c *Cache) load(ctx context.Context, key string) (e storedEntry, record []byte, found bool, err error) {
	v, found, err := c.results.Get(ctx, key)
	if err == nil && found {
		e, err = decodeEntry(v)
	} else if err != nil && !errors.Is(err, cold.ErrRow) && !errors.Is(err, cold.ErrLostKey) {
		return e, nil, false, err
	}
	if err == nil {
		return e, v.Data, found, nil
	}
	c.warn("a kept result was damaged and is dropped: the step runs again", "key", key, "damage", err)
	if _, _, err := c.results.Drop(ctx, key); err != nil {
		c.warn("the damaged result stays listed", "key", key, "err", err)
	}
	return e, nil, false, errDamaged
}

var errDamaged = errors.New("the kept result was damaged")

// store writes an entry with its record.
func (c *Cache) store(ctx context.Context, r *Request, e Entry, m keyParts, record []byte) error {
	s := storedEntry{Entry: e, Deps: r.Deps, Outputs: r.Outputs, Template: r.Template}
	if s.Inputs = m.pack(); len(s.Inputs) > maxInputsStored {
		s.Inputs = nil
	}
	meta, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("keep result: %w", err)
	}
	p := c.results.Pack(cold.Blob{Key: e.Key, Part: e.Stage, Size: e.Bytes, Meta: meta, Data: record})
	_, err = c.results.Write(ctx, "keep result", func(tx *cold.BlobTx) error { return tx.Put(p) })
	return err
}

// namesPath reports whether an entry depends on a file, or on one below a folder, or names it. One that cannot tell
// may.
func namesPath(v cold.Blob, path string) bool {
	e, err := decodeEntry(v)
	if err != nil {
		return true
	}
	m, err := unpack(e.Inputs)
	return err != nil || m.reads(path) || strings.Contains(e.Command, path) ||
		strings.Contains(strings.Join(append(e.Deps, e.Template), "\x00"), path)
}

// reads reports whether a file, or one below a folder, is among the dependencies.
func (m keyParts) reads(path string) bool {
	for _, p := range m {
		if group(p.Kind) == kindFile && (p.Name == path || strings.HasPrefix(p.Name, path+"/")) {
			return true
		}
	}
	return false
}
