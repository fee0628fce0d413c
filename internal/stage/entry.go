package stage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/cold"
)

// Entry describes one stored result without its output. Times are UTC.
type Entry struct {
	Key      string    `json:"key"`
	Stage    string    `json:"stage"`
	Created  time.Time `json:"created"`
	Used     time.Time `json:"used"`
	Hits     int       `json:"hits"`
	Duration int64     `json:"duration_ms"` // duration of that run
	Bytes    int64     `json:"bytes"`       // size of output and files
	Command  string    `json:"command"`     // redacted
}

// result is the data in an entry's blob: its record, the parts of its key, and the patterns by
// which the same dependencies can be found again.
type result struct {
	Deps, Outputs []string
	Template      string
	Parts         keyParts
	Record        Record
}

// ErrNoEntry means that nothing is stored under this name or key.
var ErrNoEntry = errors.New("no such stage or key")

var errDamaged = errors.New("the kept result was damaged")

// decodeEntry reads the meta of a blob.
func decodeEntry(v cold.Blob) (e Entry, err error) {
	if err = codec.Decode(v.Meta, &e); err == nil && e.Key != v.Key {
		err = fmt.Errorf("the entry is that of %.40q", e.Key)
	}
	e.Created, e.Used = v.Written, v.Used
	return e, err
}

// List returns the entries of a stage, or of all stages if stage is "", the newest first. Entries
// that cannot be read are left out.
func (c *Cache) List(ctx context.Context, stage string, limit int) ([]Entry, error) {
	out := []Entry{}
	found, err := c.results.List(ctx, cold.Selection{Part: stage, Limit: limit})
	for _, v := range found {
		if e, err := decodeEntry(v); err == nil {
			out = append(out, e)
		}
	}
	return out, err
}

// load returns an entry with its result. An entry that is damaged, or whose encryption key is lost,
// is deleted with one warning.
func (c *Cache) load(ctx context.Context, key string) (e Entry, r result, found bool, err error) {
	v, found, err := c.results.Get(ctx, key)
	if err == nil && found {
		if e, err = decodeEntry(v); err == nil {
			err = codec.Decode(v.Data, &r)
		}
	} else if err != nil && !errors.Is(err, cold.ErrRow) && !errors.Is(err, cold.ErrLostKey) {
		return e, r, false, err
	}
	if err == nil {
		return e, r, found, nil
	}
	_, _, dropped := c.results.Drop(ctx, cold.Selection{Key: key})
	if c.o.Log != nil {
		c.o.Log.Warn("a kept result was damaged and is dropped: the step runs again", "key", key, "err",
			errors.Join(err, dropped))
	}
	return e, r, false, errDamaged
}

// store writes an entry.
func (c *Cache) store(ctx context.Context, e Entry, r result) error {
	data, err := codec.Encode(r)
	if err != nil {
		return fmt.Errorf("keep result: %w", err)
	}
	meta, err := codec.Encode(e)
	if err != nil {
		return fmt.Errorf("keep result: %w", err)
	}
	_, err = c.results.Put(ctx, cold.Blob{Key: e.Key, Part: e.Stage, Size: e.Bytes, Meta: meta, Data: data})
	return err
}

// use counts a hit. If the disk cannot be written it counts nothing.
func (c *Cache) use(ctx context.Context, e *Entry) error {
	e.Hits++
	meta, err := codec.Encode(e)
	if err == nil {
		err = c.results.Use(ctx, e.Key, meta)
	}
	return err
}

// refusal returns the reason why an entry does not answer a request, "" if it does.
func (e *Entry) refusal(r *Request, now time.Time) string {
	age := max(0, now.Sub(e.Created)) // clocks may go back
	if r.TTL > 0 && age >= r.ttl() {
		return fmt.Sprintf("the kept result is %s old, the ttl is %s", age.Round(time.Second), r.ttl())
	}
	return ""
}

// Drop deletes the entries of a stage, or the entry with a key; all entries if name is "". It
// returns their number.
func (c *Cache) Drop(ctx context.Context, name string) (int, error) {
	n, _, err := c.results.Drop(ctx, cold.Selection{Part: name, All: name == ""})
	if err != nil || n > 0 || name == "" {
		return n, err
	}
	n, _, err = c.results.Drop(ctx, cold.Selection{Key: name})
	if err == nil && n == 0 {
		err = fmt.Errorf("%w: %s", ErrNoEntry, name)
	}
	return n, err
}
