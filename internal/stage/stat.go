package stage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Stat is what one stage saved.
type Stat struct {
	Stage   string
	Hits    int
	Misses  int
	Saved   int64 // ms
	Entries int
	Bytes   int64
}

// savings are the counts of all stages by name. They stay when entries go.
type savings map[string]Stat

// readSavings reads the counts. Counts that cannot be read begin again.
func (c *Cache) readSavings(ctx context.Context) (savings, error) {
	out := savings{}
	v, _, err := c.counts.Get(ctx, "")
	if errors.Is(err, cold.ErrRow) || errors.Is(err, cold.ErrLostKey) {
		err = nil
	}
	if json.Unmarshal(v.Meta, &out) != nil {
		out = savings{}
	}
	return out, err
}

// count adds a hit that saved so many milliseconds, or a miss, and stores the entry that was used. A call that arrives
// twice counts once. A disk that cannot be written counts nothing.
func (c *Cache) count(ctx context.Context, call string, used *storedEntry, add Stat) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	all, err := c.readSavings(ctx)
	if err != nil {
		return err
	}
	s := all[add.Stage]
	all[add.Stage] = Stat{Hits: s.Hits + add.Hits, Misses: s.Misses + add.Misses, Saved: s.Saved + add.Saved}
	meta, err := json.Marshal(all)
	if err != nil {
		return err
	}
	p := c.counts.Pack(cold.Blob{Meta: meta})
	again := false
	_, err = c.counts.Write(ctx, "count run", func(tx *cold.BlobTx) (err error) {
		if _, again, err = tx.Answered(call); again || err != nil {
			return err
		}
		if err := tx.Answer(call, nil); err != nil {
			return err
		}
		return tx.Put(p)
	})
	if err == nil && used != nil && !again {
		used.Hits++
		if meta, err = json.Marshal(used); err == nil {
			err = c.results.SetMeta(ctx, used.Key, meta)
		}
	}
	if errors.Is(err, cold.ErrFull) || errors.Is(err, cold.ErrReadOnly) {
		return nil
	}
	return err
}

// Stats returns what each stage saved, the most useful first.
func (c *Cache) Stats(ctx context.Context) (out []Stat, err error) {
	all, err := c.readSavings(ctx)
	if err != nil {
		return nil, err
	}
	found, _, err := c.results.List(ctx, cold.Selection{})
	for _, v := range found {
		s, ok := all[v.Part]
		if ok {
			s.Entries, s.Bytes = s.Entries+1, s.Bytes+v.Size
			all[v.Part] = s
		}
	}
	for name, s := range all {
		s.Stage = name
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Stat) int {
		return cmp.Or(cmp.Compare(b.Saved, a.Saved), cmp.Compare(a.Stage, b.Stage))
	})
	return out, err
}
