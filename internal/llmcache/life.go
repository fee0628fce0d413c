package llmcache

import (
	"context"
	"errors"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Leave deletes the items of sessions that people have ended for good. left has the time of the end
// for each session. Only items written before that time are deleted, so a session that was resumed
// since then keeps the later ones. A session that ends in another way keeps its items until 24
// hours after its last event (Rule.Active). A session that was in left at the last call is skipped.
func (c *Cache) Leave(ctx context.Context, left map[string]time.Time) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	done := map[string]time.Time{}
	for session, at := range left {
		if !c.left[session].Equal(at) {
			if _, _, failed := c.items.Drop(ctx, cold.Selection{Session: session, Until: at}); failed != nil {
				err = errors.Join(err, failed)
				continue
			}
		}
		done[session] = at
	}
	c.left = done
	return storage(err)
}

// Clear deletes all items of a session and returns their number and their bytes.
func (c *Cache) Clear(ctx context.Context, session string) (items int, bytes int64, err error) {
	items, bytes, err = c.items.Drop(ctx, cold.Selection{Session: session})
	return items, bytes, storage(err)
}
