package llmcache

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Statements.
const (
	sqlContent = `SELECT i.key, i.session, i.description, i.size, i.written, c.json, c.notes, c.data
FROM items i JOIN contents c ON c.item = i.id WHERE i.key = ?`
	// ?1 session or "", ?2 task or "", ?3 since, ?4 until, ?5 limit
	sqlList = `SELECT key, description, size, written FROM items
WHERE (?1 = '' OR session = ?1) AND (?2 = '' OR task = ?2) AND written >= ?3 AND written < ?4
ORDER BY written DESC, id DESC LIMIT ?5`
	// as list
	sqlCount    = "SELECT count(*) FROM items WHERE (?1 = '' OR session = ?1) AND (?2 = '' OR task = ?2) AND written >= ?3 AND written < ?4"
	sqlSessions = "SELECT id, created, accessed, coalesce(ended, 0), items, used FROM sessions ORDER BY accessed DESC, id"
)

// Content is an item, or the part of it that was asked for.
type Content struct {
	Label
	Notes json.RawMessage // the caller's own metadata
	JSON  bool            // Data is JSON
	Part
}

// Read returns an item, cut to what is asked for. It counts as a use of the item and its session. The error is an
// *Error of code not_found where there is no such item, or nothing at the pointer.
func (c *Cache) Read(ctx context.Context, key string, cut Cut) (Content, error) {
	k, err := parseKey(key)
	if err == nil {
		err = cut.check()
	}
	if err != nil {
		return Content{}, err
	}
	if !c.file.Exists() {
		return Content{}, missingItem(key)
	}
	var out Content
	var data []byte
	err = c.useExisting(ctx, func(f *cold.File) error {
		var session string
		var description, notes, packed []byte
		found, err := f.Scan(ctx, sqlContent, []any{key}, &out.Key, &session, &description, &out.Size, &out.At, &out.JSON, &notes, &packed)
		if err != nil {
			return err
		}
		if !found {
			return missingItem(key)
		}
		data, err = c.unpack(key, packed)
		out.Description = c.text(f, descriptionOf(key), description)
		if n := c.text(f, notesOf(key), notes); n != "" {
			out.Notes = json.RawMessage(n)
		}
		switch {
		case errors.Is(err, cold.ErrRow):
			return f.BadRow(err)
		case err != nil:
			return err
		case out.JSON && !json.Valid(data) || out.Notes != nil && !json.Valid(out.Notes):
			return f.BadRow(fmt.Errorf("item %s: it is no JSON", key))
		}
		return c.touch(ctx, f, k.Session, key)
	})
	if err != nil {
		return Content{}, err
	}
	out.Part, err = cut.of(data, out.JSON)
	return out, err
}

// text opens a sealed text. One that cannot be opened is "", and counted as a bad row if its key is there.
func (c *Cache) text(f *cold.File, of string, sealed []byte) string {
	b, err := c.o.Seal.Open(of, sealed)
	if errors.Is(err, cold.ErrRow) {
		_ = f.BadRow(err) // the rest of the item is returned
	}
	return string(b)
}

// touch notes that an item, or with key "" a session, was used. On a disk that cannot be written it does nothing.
func (c *Cache) touch(ctx context.Context, f *cold.File, session, key string) error {
	now := c.o.Now().UnixMilli()
	err := f.Write(ctx, "note a use", func(tx *cold.Tx) error {
		if key != "" {
			if _, err := tx.Exec("UPDATE items SET accessed = max(accessed, ?2) WHERE key = ?1", key, now); err != nil {
				return err
			}
		}
		_, err := tx.Exec("UPDATE sessions SET accessed = max(accessed, ?2) WHERE id = ?1", session, now)
		return err
	})
	if errors.Is(err, cold.ErrFull) || errors.Is(err, cold.ErrReadOnly) {
		return nil
	}
	return err
}

// Filter selects labels. Zero fields select everything.
type Filter struct {
	Session      string
	Task         string
	Since, Until time.Time // of the last write; Since included, Until excluded
	Limit        int       // at most so many; 0 is 100
}

// List returns labels, the newest first, and how many there are without the limit. It loads no data. It counts as a
// use of the session.
func (c *Cache) List(ctx context.Context, q Filter) (labels []Label, total int, err error) {
	if q.Limit == 0 {
		q.Limit = 100
	}
	if q.Limit < 0 || q.Limit > 1000 {
		return nil, 0, bad("use 1 to 1000", "limit %d is out of range", q.Limit)
	}
	since, until := int64(math.MinInt64), int64(math.MaxInt64)
	if !q.Since.IsZero() {
		since = q.Since.UnixMilli()
	}
	if !q.Until.IsZero() {
		until = q.Until.UnixMilli()
	}
	err = c.useExisting(ctx, func(f *cold.File) error {
		err := f.Each(ctx, sqlList, []any{q.Session, q.Task, since, until, q.Limit}, func(rows cold.Row) error {
			var l Label
			var description []byte
			if err := rows.Scan(&l.Key, &description, &l.Size, &l.At); err != nil {
				return err
			}
			l.Description = c.text(f, descriptionOf(l.Key), description)
			labels = append(labels, l)
			return nil
		})
		if err != nil {
			return err
		}
		if _, err := f.Scan(ctx, sqlCount, []any{q.Session, q.Task, since, until}, &total); err != nil || q.Session == "" {
			return err
		}
		return c.touch(ctx, f, q.Session, "")
	})
	return labels, total, err
}

// Usage is what a session has stored.
type Usage struct {
	Session  string
	Items    int
	Used     int64 // bytes, as the quota counts them
	Quota    int64
	Created  time.Time // of its first item
	Accessed time.Time // last read, write or list
	Ended    time.Time // zero: it has not, or was resumed since
}

// Stats returns the sessions that have items, the one used last first, and the bytes of all items on disk.
func (c *Cache) Stats(ctx context.Context) (sessions []Usage, stored int64, err error) {
	err = c.useExisting(ctx, func(f *cold.File) error {
		if sessions, err = c.sessions(ctx, f); err != nil {
			return err
		}
		_, err := f.Scan(ctx, "SELECT coalesce(sum(length(data) + length(notes)), 0) FROM contents", nil, &stored)
		return err
	})
	return sessions, stored, err
}

func (c *Cache) sessions(ctx context.Context, f *cold.File) (out []Usage, err error) {
	err = f.Each(ctx, sqlSessions, nil, func(rows cold.Row) error {
		u := Usage{Quota: c.o.Quota}
		var created, accessed, ended int64
		err := rows.Scan(&u.Session, &created, &accessed, &ended, &u.Items, &u.Used)
		u.Created, u.Accessed = time.UnixMilli(created).UTC(), time.UnixMilli(accessed).UTC()
		if ended > 0 {
			u.Ended = time.UnixMilli(ended).UTC()
		}
		if err == nil && (!cold.Possible(created) || !cold.Possible(accessed) || !cold.Possible(ended)) {
			err = fmt.Errorf("%w: session %q: its times are impossible", cold.ErrRow, u.Session)
		}
		if err == nil {
			out = append(out, u)
		}
		return err
	})
	return out, err
}
