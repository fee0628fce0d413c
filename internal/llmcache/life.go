package llmcache

import (
	"context"
	"errors"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Leave deletes the items of sessions that people have left for good. left says when that was, by
// session. Only what a session wrote before it was left is deleted, so that a session that was
// resumed since keeps the rest. A session that ends in another way keeps its items until nothing
// was heard of it for 24 hours (Rule.Active). What was given before costs nothing.
func (c *Cache) Leave(ctx context.Context, left map[string]time.Time) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	done := map[string]time.Time{}
	for session, at := range left {
		var failed error
		if !c.left[session].Equal(at) {
			failed = c.leave(ctx, session, at)
		}
		if err = errors.Join(err, failed); failed == nil {
			done[session] = at
		}
	}
	c.left = done
	return storage(err)
}

// leave deletes what a session wrote until then.
func (c *Cache) leave(ctx context.Context, session string, at time.Time) error {
	items, _, err := c.items.List(ctx, cold.Selection{Session: session})
	for _, v := range items {
		if !v.Written.After(at) {
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
