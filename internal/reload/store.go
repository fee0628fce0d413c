package reload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// ErrNone is wrapped when there is no such entry or undo record.
var ErrNone = errors.New("no such sequence")

// storedEntry is an entry with what changes often.
type storedEntry struct {
	Entry
	Uses      int `json:"uses"`
	Successes int `json:"successes"`
	Failures  int `json:"failures"`
}

// decode reads a stored entry.
func decode(raw []byte) (*Entry, error) {
	var s storedEntry
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	e := &s.Entry
	e.Uses, e.Successes, e.Failures = s.Uses, s.Successes, s.Failures
	if !e.sound() {
		return nil, errors.New("its values are impossible")
	}
	return e, nil
}

// pack makes a blob of an entry, and returns the bytes that it takes.
func (c *Cache) pack(e *Entry) (cold.Packed, error) {
	raw, err := json.Marshal(storedEntry{*e, e.Uses, e.Successes, e.Failures})
	p := c.stored.Pack(cold.Blob{Key: e.ID, Session: e.Session, Used: e.Used, Meta: raw})
	p.Size = int64(len(p.Data))
	return p, err
}

// load reads what is stored, once. What cannot be read is left out.
func (c *Cache) load(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded {
		return nil
	}
	found, _, err := c.stored.List(ctx, cold.Selection{LeastUsed: true})
	if err == nil {
		err = c.loadCounts(ctx)
	}
	if err != nil {
		return fmt.Errorf("read the recorded sequences: %w", err)
	}
	for _, v := range found {
		if e, err := decode(v.Meta); err == nil && e.ID == v.Key && c.entries[e.ID] == nil {
			e.Used, e.size = v.Used, int(v.Size)
			c.put(e)
		}
	}
	c.loaded = true
	return nil
}

// loadCounts adds the counts that are stored; mu is held.
func (c *Cache) loadCounts(ctx context.Context) error {
	v, found, err := c.counted.Get(ctx, "")
	if err != nil && !errors.Is(err, cold.ErrRow) && !errors.Is(err, cold.ErrLostKey) || !found {
		return err
	}
	var counts map[string]int64
	_ = json.Unmarshal(v.Meta, &counts) // counts that cannot be read begin again
	for name, n := range counts {
		c.counts[name] += n
	}
	return nil
}

// leave writes what is in memory and lets go of it. Turns that are under way are not recorded: they may hold what is
// forgotten.
func (c *Cache) leave(ctx context.Context) error {
	err := c.write(ctx)
	c.folded.clear()
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.entries)
	clear(c.last)
	clear(c.counts)
	clear(c.dirty)
	c.index, c.loaded, c.tallied = newEntryIndex(), false, false
	return err
}

// holds reports whether a stored entry refers to a file, or to anything below a folder. One that cannot be read may.
func holds(v cold.Blob, path string) bool {
	e, err := decode(v.Meta)
	return err != nil || e.names(event.Path(path))
}

// sound reports whether a stored entry keeps to the bounds of those that are made.
func (e *Entry) sound() bool {
	return e.ID != "" && len(e.Actions) <= maxActions && len(e.Files) <= maxFiles && len(e.Text) <= maxText+4 &&
		e.Uses >= 0 && e.Successes >= 0 && e.Failures >= 0
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
	if err := c.inputs.write(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	if !c.loaded || len(c.dirty) == 0 && !c.tallied {
		c.mu.Unlock()
		return nil
	}
	was, counts := c.dirty, maps.Clone(c.counts)
	var kept []cold.Packed
	var gone []string
	for id := range was {
		e := c.entries[id]
		if e == nil {
			gone = append(gone, id)
			continue
		}
		p, err := c.pack(e)
		if err != nil {
			c.mu.Unlock()
			return fmt.Errorf("pack sequence %s: %w", id, err)
		}
		e.size = int(int64(len(p.Data)))
		kept = append(kept, p)
	}
	c.dirty, c.tallied = map[string]bool{}, false
	c.mu.Unlock()
	full, err := c.writeBlobs(ctx, kept, gone, counts)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		maps.Copy(c.dirty, was)
		c.tallied = true
		return err
	}
	for _, id := range full {
		if e := c.entries[id]; e != nil {
			c.index.remove(e)
			delete(c.entries, id)
			c.count(countEvicted + ":full")
		}
	}
	return nil
}

// writeBlobs returns the ids of the entries that had to go, since there were too many.
func (c *Cache) writeBlobs(ctx context.Context, kept []cold.Packed, gone []string,
	counts map[string]int64) (full []string, err error) {
	full, err = c.stored.Write(ctx, "write recorded sequences", func(tx *cold.BlobTx) error {
		for _, id := range gone {
			if err := tx.Delete(id); err != nil {
				return err
			}
		}
		for _, p := range kept {
			if err := tx.Put(p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(counts)
	if err != nil {
		return full, err
	}
	_, err = c.counted.Write(ctx, "write counts of sequences", func(tx *cold.BlobTx) error {
		return tx.Put(c.counted.Pack(cold.Blob{Meta: raw}))
	})
	return full, err
}
