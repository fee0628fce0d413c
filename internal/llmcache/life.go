package llmcache

import (
	"context"

	"github.com/aoa-dev/aoa/internal/event"
)

// Begin sets the place in the event log from which Apply continues.
func (c *Cache) Begin(applied int64) { c.applied.Store(applied) }

// Name is the consumer's.
func (c *Cache) Name() string { return "cache" }

// Applied is the last batch of the log that was folded.
func (c *Cache) Applied() int64 { return c.applied.Load() }

// Apply deletes the items of a session that logs out or exits. A session that ends in another way is often resumed, so
// its items stay until nothing was heard of it for 24 hours (Rule.Active). Older events are those of an import.
func (c *Cache) Apply(ctx context.Context, seq int64, events []event.Event) error {
	for _, e := range events {
		end, _ := e.Body.(event.End)
		if r := end.Reason; r != "logout" && r != "exit" && r != "prompt_input_exit" || c.o.Now().Sub(e.Time) > life {
			continue
		}
		if _, _, err := c.Clear(ctx, e.Session); err != nil {
			return err
		}
	}
	c.applied.Store(seq)
	return nil
}

// Flush has nothing to write: each change is in the file when Apply returns.
func (c *Cache) Flush(context.Context) (durable int64, err error) { return c.applied.Load(), nil }

// Clear deletes everything of a session and returns how many items that was, and their bytes.
func (c *Cache) Clear(ctx context.Context, session string) (items int, bytes int64, err error) {
	items, bytes, err = c.items.DropSession(ctx, session)
	return items, bytes, storage(err)
}
