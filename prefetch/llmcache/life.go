package llmcache

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Statements.
const (
	sqlDeleteSession = "DELETE FROM sessions WHERE id = ? RETURNING items, used"
	// ?1 now, ?2 a time that only a clock that ran ahead has told
	sqlDateSessions = "UPDATE sessions SET accessed = min(accessed, ?1), ended = min(ended, ?1) WHERE accessed > ?2 OR ended > ?2"
	sqlSession      = "SELECT accessed, coalesce(ended, 0) FROM sessions WHERE id = ?"
)

// End starts the clock of a session that ended: its items live another 24 hours, since a session that ends is often
// resumed. After a logout or an exit they go at once.
func (c *Cache) End(ctx context.Context, session, reason string) error {
	switch reason {
	case "logout", "exit", "prompt_input_exit":
		_, err := c.Clear(ctx, session)
		return err
	}
	return c.border(ctx, session, "UPDATE sessions SET ended = ?2 WHERE id = ?1")
}

// Resume stops the clock.
func (c *Cache) Resume(ctx context.Context, session string) error {
	return c.border(ctx, session, "UPDATE sessions SET ended = NULL, accessed = max(accessed, ?2) WHERE id = ?1")
}

func (c *Cache) border(ctx context.Context, session, statement string) error {
	return c.look(ctx, func(f *cold.File) error {
		return f.Write(ctx, "note a session's border", func(tx *cold.Tx) error {
			_, err := tx.Exec(statement, session, c.o.Now().UnixMilli())
			return err
		})
	})
}

// Clear deletes everything of a session and returns what that was.
func (c *Cache) Clear(ctx context.Context, session string) (u Usage, err error) {
	u = Usage{Session: session, Quota: c.o.Quota}
	err = c.look(ctx, func(f *cold.File) error {
		err := f.Write(ctx, "clear session", func(tx *cold.Tx) error {
			_, err := tx.Scan(sqlDeleteSession, []any{session}, &u.Items, &u.Used)
			return err
		})
		if err != nil || u.Used < giveBack {
			return err
		}
		return f.GiveBack(ctx)
	})
	return u, err
}

// Sweep deletes the sessions that were not heard of for 24 hours: ended and not resumed, or orphaned by a crash. It
// returns what went.
func (c *Cache) Sweep(ctx context.Context) (gone []Usage, err error) {
	now := c.o.Now()
	err = c.look(ctx, func(f *cold.File) error {
		// What was written under a clock that ran ahead would stay for as long.
		err := f.Write(ctx, "date sessions", func(tx *cold.Tx) error {
			_, err := tx.Exec(sqlDateSessions, now.UnixMilli(), now.Add(Life).UnixMilli())
			return err
		})
		if err != nil {
			return err
		}
		all, err := c.sessions(ctx, f)
		if err != nil {
			return err
		}
		for _, u := range all {
			if now.Sub(c.last(u)) < Life {
				continue
			}
			// What it did meanwhile counts: the deadline is looked at again inside the transaction that deletes.
			err := f.Write(ctx, "sweep sessions", func(tx *cold.Tx) error {
				var accessed, ended int64
				found, err := tx.Scan(sqlSession, []any{u.Session}, &accessed, &ended)
				if err != nil || !found || accessed != u.Accessed.UnixMilli() {
					return err
				}
				_, err = tx.Scan(sqlDeleteSession, []any{u.Session}, &u.Items, &u.Used)
				gone = append(gone, u)
				return err
			})
			if err != nil {
				return err
			}
		}
		if len(gone) == 0 {
			return nil
		}
		return f.GiveBack(ctx)
	})
	return gone, err
}

// last is when a session was last heard of, by anybody.
func (c *Cache) last(u Usage) time.Time {
	last := u.Accessed
	for _, t := range []time.Time{u.Ended, c.o.Heard(u.Session)} {
		if t.After(last) {
			last = t
		}
	}
	return last
}
