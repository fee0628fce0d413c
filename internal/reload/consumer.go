package reload

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// place is how far the log is folded, and what the sessions then did. The same bytes on disk have both.
type place struct {
	Log     string          `json:"log"`
	Applied int64           `json:"applied"`
	Turns   json.RawMessage `json:"turns"`
}

// Open reads what was folded of a log, whose last batch is last. Without that, Apply continues behind begin.
func (c *Cache) Open(ctx context.Context, log string, last, begin int64) error {
	c.log = log
	v, found, err := c.places.Get(ctx, "")
	if err != nil && !errors.Is(err, cold.ErrRow) && !errors.Is(err, cold.ErrLostKey) {
		return err
	}
	var p place
	if !found || json.Unmarshal(v.Meta, &p) != nil || p.Log != log || p.Applied > last ||
		json.Unmarshal(p.Turns, &c.folded) != nil {
		p.Applied = begin
	}
	c.position.Begin(p.Applied)
	return nil
}

// Name is the consumer's.
func (c *Cache) Name() string { return "sequences" }

// Applied is the last batch of the log that was folded.
func (c *Cache) Applied() int64 { return c.position.Applied() }

// Apply folds a batch into the turns of its sessions. An agent whose conversation was compacted or cleared does not
// know any more what it was offered.
func (c *Cache) Apply(_ context.Context, seq int64, events []event.Event) error {
	off, over := c.o.config().Off, false
	c.folded.mu.Lock()
	for _, e := range events {
		if s, _ := e.Body.(event.Start); s.Source == "compact" || s.Source == "clear" {
			c.offering.Lock()
			delete(c.offered, e.Session)
			c.offering.Unlock()
		}
		over = c.folded.fold(e, off) || over
	}
	c.position.Fold(seq)
	c.folded.mu.Unlock()
	if over {
		c.signal()
	}
	return nil
}

// Flush writes the entries of all turns that are over, and then what the others have done so far.
func (c *Cache) Flush(ctx context.Context) (durable int64, err error) {
	c.makeEntries(ctx, false)
	c.making.Lock()
	defer c.making.Unlock()
	if err := c.write(ctx); err != nil {
		return c.position.Durable(), err
	}
	c.folded.mu.Lock()
	p := place{Log: c.log, Applied: c.position.Applied()}
	p.Turns, err = json.Marshal(&c.folded)
	c.folded.mu.Unlock()
	if err != nil || p.Applied == c.position.Durable() {
		return p.Applied, err
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return c.position.Durable(), err
	}
	if _, err = c.places.Write(ctx, "write the turns of sessions", func(tx *cold.BlobTx) error {
		return tx.Put(c.places.Pack(cold.Blob{Meta: raw}))
	}); err != nil {
		return c.position.Durable(), err
	}
	c.position.Kept(p.Applied)
	return p.Applied, nil
}
