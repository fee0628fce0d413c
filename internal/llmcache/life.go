package llmcache

import (
	"context"
	"errors"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Begin sets the place in the event log from which Apply continues.
func (c *Cache) Begin(applied int64) { c.applied.Store(applied) }

// Name is the consumer's.
func (c *Cache) Name() string { return "cache" }

// Applied is the last batch of the log that was folded.
func (c *Cache) Applied() int64 { return c.applied.Load() }

// Apply notes the sessions that begin or end. A session that ended keeps its items for another 24 hours, since it is
// often resumed. After a logout or an exit they are deleted at once. Older events are those of an import.
func (c *Cache) Apply(ctx context.Context, seq int64, events []event.Event) error {
	for _, e := range events {
		if e.Kind() != event.KindStart && e.Kind() != event.KindEnd || c.o.Now().Sub(e.Time) > life {
			continue
		}
		end, _ := e.Body.(event.End)
		var err error
		switch {
		case !c.items.Exists():
		case e.Kind() == event.KindStart:
			_, _, err = c.ended.Drop(ctx, e.Session)
			err = errors.Join(storage(err), c.touch(ctx, e.Session, e.Time))
		case end.Reason == "logout" || end.Reason == "exit" || end.Reason == "prompt_input_exit":
			_, err = c.Clear(ctx, e.Session)
		default:
			_, err = c.ended.Write(ctx, "note the end of a session", func(tx *cold.BlobTx) error {
				return tx.Put(c.ended.Pack(cold.Blob{Key: e.Session, Session: e.Session, Used: e.Time}))
			})
			err = errors.Join(storage(err), c.touch(ctx, e.Session, e.Time))
		}
		if err != nil {
			return err
		}
	}
	c.applied.Store(seq)
	return nil
}

// Flush has nothing to write: each change is in the file when Apply returns.
func (c *Cache) Flush(context.Context) (durable int64, err error) { return c.applied.Load(), nil }

// Clear deletes everything of a session and returns what that was.
func (c *Cache) Clear(ctx context.Context, session string) (Usage, error) {
	gone, err := c.items.DropSession(ctx, session)
	return c.usage(gone), storage(err)
}
