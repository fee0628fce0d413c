package llmcache

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Statements.
const (
	sqlDeleteSession = "DELETE FROM sessions WHERE id = ? RETURNING items, used"
	// ?1 now, ?2 a time in the future, of a clock that ran ahead
	sqlDateSessions  = "UPDATE sessions SET accessed = min(accessed, ?1), ended = min(ended, ?1) WHERE accessed > ?2 OR ended > ?2"
	sqlSession       = "SELECT accessed, coalesce(ended, 0) FROM sessions WHERE id = ?"
	sqlEndSession    = "UPDATE sessions SET ended = ?2 WHERE id = ?1"
	sqlResumeSession = "UPDATE sessions SET ended = NULL, accessed = max(accessed, ?2) WHERE id = ?1"
)

// Open reads how much of the log the file contains. begin is where to continue when that is not known. A cache without a file has no
// sessions to begin or end.
func (c *Cache) Open(ctx context.Context, log string, begin int64) error {
	position := begin
	err := c.useExisting(ctx, func(f *cold.File) error {
		of, applied, err := cold.ReadPosition(ctx, f)
		if err == nil && of == log {
			position = min(applied, begin)
		}
		return err
	})
	c.position.Begin(log, position)
	return err
}

// Name is the consumer's.
func (c *Cache) Name() string { return "cache" }

// Applied is the last batch of the log that was folded.
func (c *Cache) Applied() int64 { return c.position.Applied() }

// Apply notes the sessions that begin or end. A session that ended keeps its items for another 24 hours, since it is often resumed. After
// a logout or an exit they are deleted at once. Older events are those of an import.
func (c *Cache) Apply(ctx context.Context, seq int64, events []event.Event) error {
	for _, e := range events {
		var err error
		switch {
		case e.Kind != event.KindStart && e.Kind != event.KindEnd || c.o.Now().Sub(e.Time) > life:
		case e.Kind == event.KindStart:
			err = c.write(ctx, sqlResumeSession, e.Session, e.Time.UnixMilli())
		case e.Tool == "logout" || e.Tool == "exit" || e.Tool == "prompt_input_exit":
			_, err = c.Clear(ctx, e.Session)
		default:
			err = c.write(ctx, sqlEndSession, e.Session, e.Time.UnixMilli())
		}
		if err != nil {
			return err
		}
	}
	c.position.Fold(seq)
	return nil
}

func (c *Cache) write(ctx context.Context, statement string, args ...any) error {
	return c.useExisting(ctx, func(f *cold.File) error {
		return f.Write(ctx, "note the end of a session", func(tx *cold.Tx) error {
			_, err := tx.Exec(statement, args...)
			return err
		})
	})
}

// Flush writes how much of the log the file contains, and returns it. To fold a session's end twice changes nothing, so it
// need not be written with the end.
func (c *Cache) Flush(ctx context.Context) (durable int64, err error) {
	applied, durable := c.position.Applied(), c.position.Durable()
	if applied == durable {
		return durable, nil
	}
	err = c.useExisting(ctx, func(f *cold.File) error {
		return f.Write(ctx, "note the position", func(tx *cold.Tx) error { return c.position.Write(tx, applied) })
	})
	if err != nil {
		return durable, err
	}
	c.position.Kept(applied)
	return applied, nil
}

// Clear deletes everything of a session and returns what that was.
func (c *Cache) Clear(ctx context.Context, session string) (u Usage, err error) {
	u = Usage{Session: session, Quota: c.o.Quota}
	err = c.useExisting(ctx, func(f *cold.File) error {
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

// Sweep deletes the sessions that were not active for 24 hours: ended and not resumed, or left by a crash. It returns them.
func (c *Cache) Sweep(ctx context.Context) (gone []Usage, err error) {
	now := c.o.Now()
	err = c.useExisting(ctx, func(f *cold.File) error {
		// What was written under a clock that ran ahead would stay for as long.
		err := f.Write(ctx, "date sessions", func(tx *cold.Tx) error {
			_, err := tx.Exec(sqlDateSessions, now.UnixMilli(), now.Add(life).UnixMilli())
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
			if now.Sub(c.last(u)) < life {
				continue
			}
			// It may have become active since: the deadline is checked again inside the transaction.
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

// last is when a session was last active, here or in the log.
func (c *Cache) last(u Usage) time.Time {
	last := u.Accessed
	for _, t := range []time.Time{u.Ended, c.o.Newest(u.Session)} {
		if t.After(last) {
			last = t
		}
	}
	return last
}
