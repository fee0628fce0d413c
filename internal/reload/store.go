package reload

import (
	"bytes"
	"compress/flate"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Statements.
const (
	sqlSequences    = "SELECT id, used, uses, successes, failures, data FROM sequences ORDER BY used, id"
	sqlSaveSequence = `INSERT INTO sequences (id, used, uses, successes, failures, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (id) DO UPDATE SET used = ?2, uses = ?3, successes = ?4, failures = ?5, data = ?6`
	sqlSaveCount = "INSERT INTO counts (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2"
)

//go:embed schema.sql
var schema string

// ErrNone is wrapped when there is no such entry or undo record.
var ErrNone = errors.New("no such sequence")

// packed is the first byte of stored data: its format.
const (
	packed    = 1
	maxPacked = 4 << 20 // bytes unpacked: a hostile row must not fill the memory
)

// pack makes data of a value: JSON, compressed, sealed.
func (c *Cache) pack(of string, v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer([]byte{packed})
	w, err := flate.NewWriter(b, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err = w.Write(raw); err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, err
	}
	return c.o.Seal.Seal(of, b.Bytes()), nil
}

// unpack reads what pack has made.
func (c *Cache) unpack(of string, data []byte, v any) error {
	data, err := c.o.Seal.Open(of, data)
	if err != nil {
		return err
	}
	return decode(data, v)
}

func decode(data []byte, v any) error {
	if len(data) == 0 || data[0] != packed {
		return errors.New("unknown form")
	}
	raw, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data[1:])), maxPacked+1))
	switch {
	case err != nil:
		return err
	case len(raw) > maxPacked:
		return errors.New("too large")
	}
	return json.Unmarshal(raw, v)
}

// load reads what is stored, once. Unreadable rows are left out.
func (c *Cache) load(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded {
		return nil
	}
	var found []*Entry
	err := c.file.Use(ctx, func(f *cold.File) (err error) {
		found, err = c.read(ctx, f)
		return err
	})
	if err != nil {
		return fmt.Errorf("read the recorded sequences: %w", err)
	}
	for _, e := range found {
		c.put(e)
	}
	c.loaded = true
	return nil
}

// read reads all rows; mu is held. The ids of unreadable ones are kept for forget.
func (c *Cache) read(ctx context.Context, f *cold.File) (found []*Entry, err error) {
	c.bad = nil
	err = f.Each(ctx, sqlSequences, nil, func(r cold.Row) error {
		var e Entry
		var id string
		var used int64
		var data []byte
		if err := r.Scan(&id, &used, &e.Uses, &e.Successes, &e.Failures, &data); err != nil {
			return err
		}
		err := c.unpack("sequence:"+id, data, &e)
		if err == nil && (e.ID != id || !e.sound() || !cold.Possible(used)) {
			err = errors.New("its values are impossible")
		}
		if err != nil {
			c.bad = append(c.bad, id)
		}
		if errors.Is(err, cold.ErrLostKey) && !errors.Is(err, cold.ErrRow) {
			return nil // the seal has warned, and the key may come back
		}
		if err != nil {
			return fmt.Errorf("%w: sequence %s: %w", cold.ErrRow, id, err)
		}
		e.Used, e.size = time.UnixMilli(used).UTC(), len(data)
		found = append(found, &e)
		return nil
	})
	if err == nil {
		err = f.Each(ctx, "SELECT name, value FROM counts", nil, func(r cold.Row) error {
			var name string
			var n int64
			err := r.Scan(&name, &n)
			if err == nil {
				c.counts[name] += n
			}
			return err
		})
	}
	return found, err
}

// sound reports whether a stored entry keeps to the bounds of those that are made.
func (e *Entry) sound() bool {
	return e.ID != "" && len(e.Actions) <= maxActions && len(e.Files) <= maxFiles && len(e.Text) <= maxText+4
}

// put adds an entry; mu is held.
func (c *Cache) put(e *Entry) {
	if old := c.entries[e.ID]; old != nil {
		c.index.remove(old)
	}
	e.print = newFingerprint(e.Trigger, e.Text, e.State)
	c.entries[e.ID] = e
	c.index.add(e)
}

// drop removes an entry; mu is held.
func (c *Cache) drop(e *Entry) {
	if c.entries[e.ID] == e {
		c.index.remove(e)
		delete(c.entries, e.ID)
		c.changed(e.ID)
	}
}

// write writes what changed. On error it stays to be written.
func (c *Cache) write(ctx context.Context) error {
	c.mu.Lock()
	if len(c.dirty) == 0 && !c.counted {
		c.mu.Unlock()
		return nil
	}
	rows, counts := map[string][]any{}, maps.Clone(c.counts)
	for id := range c.dirty {
		rows[id] = nil
		if e := c.entries[id]; e != nil {
			data, err := c.pack("sequence:"+id, e)
			if err != nil {
				c.mu.Unlock()
				return fmt.Errorf("pack sequence %s: %w", id, err)
			}
			e.size = len(data)
			rows[id] = []any{id, e.Used.UnixMilli(), e.Uses, e.Successes, e.Failures, data}
		}
	}
	was := c.dirty
	c.dirty, c.counted = map[string]bool{}, false
	c.mu.Unlock()
	err := c.writeRows(ctx, rows, counts)
	if err != nil {
		c.mu.Lock()
		for id := range was {
			c.dirty[id] = true
		}
		c.counted = true
		c.mu.Unlock()
	}
	return err
}

func (c *Cache) writeRows(ctx context.Context, rows map[string][]any, counts map[string]int64) error {
	return c.file.Write(ctx, "write recorded sequences", func(tx *cold.Tx) error {
		for id, row := range rows {
			var err error
			if row == nil {
				_, err = tx.Exec("DELETE FROM sequences WHERE id = ?", id)
			} else {
				_, err = tx.Exec(sqlSaveSequence, row...)
			}
			if err != nil {
				return err
			}
		}
		for name, n := range counts {
			if _, err := tx.Exec(sqlSaveCount, name, n); err != nil {
				return err
			}
		}
		return nil
	})
}
