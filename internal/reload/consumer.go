package reload

import (
	"context"

	"github.com/aoa-dev/aoa/internal/event"
)

// Begin sets the place in the event log from which Apply continues.
func (c *Cache) Begin(applied int64) { c.position.Begin(applied) }

// Name is the consumer's.
func (c *Cache) Name() string { return "sequences" }

// Applied is the last batch of the log that was folded.
func (c *Cache) Applied() int64 { return c.position.Applied() }

// Apply drops what sessions were offered whose conversation was compacted or cleared: their agents do not know it any
// more.
func (c *Cache) Apply(_ context.Context, seq int64, events []event.Event) error {
	c.offering.Lock()
	defer c.offering.Unlock()
	for _, e := range events {
		if s, _ := e.Body.(event.Start); s.Source == "compact" || s.Source == "clear" {
			delete(c.offered, e.Session)
		}
	}
	c.position.Fold(seq)
	return nil
}

// Flush writes what changed. Nothing in the file is derived from the log.
func (c *Cache) Flush(ctx context.Context) (durable int64, err error) {
	return c.position.Applied(), c.write(ctx)
}
