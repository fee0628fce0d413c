package llmcache

import (
	"context"
	"errors"
	"slices"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Begin sets the place in the event log from which Apply continues.
func (c *Cache) Begin(applied int64) { c.applied.Store(applied) }

// Name is the consumer's.
func (c *Cache) Name() string { return "cache" }

// Applied is the last batch of the log that was folded.
func (c *Cache) Applied() int64 { return c.applied.Load() }

// Apply wakes Run when a session ended. Which sessions were left for good, Run reads from their state.
func (c *Cache) Apply(_ context.Context, seq int64, events []event.Event) error {
	c.applied.Store(seq)
	if slices.ContainsFunc(events, func(e event.Event) bool { return e.Kind() == event.KindEnd }) {
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
	return nil
}

// Flush has nothing to write.
func (c *Cache) Flush(context.Context) (durable int64, err error) { return c.applied.Load(), nil }

// Run deletes the items of sessions that people have left for good, until ctx ends. Only what a session wrote before it
// was left is deleted: an end that is read again from the log deletes nothing of a session that was resumed since. A
// session that ends in another way keeps its items until nothing was heard of it for 24 hours (Rule.Active).
func (c *Cache) Run(ctx context.Context) error {
	for {
		if err := c.leave(ctx); err != nil && ctx.Err() == nil {
			c.o.Log.Warn("items of a session that ended are not deleted", "err", err)
		}
		select {
		case <-c.wake:
		case <-ctx.Done():
			return nil
		}
	}
}

// leave deletes what Run deletes.
func (c *Cache) leave(ctx context.Context) error {
	left := c.o.Left()
	items, _, err := c.items.List(ctx, cold.Selection{})
	for _, v := range items {
		if !v.Written.After(left[v.Session]) {
			_, _, failed := c.items.Drop(ctx, v.Key)
			err = errors.Join(err, failed)
		}
	}
	return err
}

// Clear deletes everything of a session and returns how many items that was, and their bytes.
func (c *Cache) Clear(ctx context.Context, session string) (items int, bytes int64, err error) {
	items, bytes, err = c.items.DropSession(ctx, session)
	return items, bytes, storage(err)
}
