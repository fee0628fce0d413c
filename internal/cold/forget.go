package cold

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// ForgetFilter selects what to forget. Exactly one of Path, Session and Since is set.
type ForgetFilter struct {
	Path    event.Path // a file, or a folder with everything below it
	Session string     // a session
	Since   time.Time  // everything since this time
	Until   time.Time  // events of the log after this time stay; zero: none do
}

// Check returns an error unless exactly one of Path, Session and Since is set.
func (f ForgetFilter) Check() error {
	set := 0
	for _, is := range []bool{f.Path != "", f.Session != "", !f.Since.IsZero()} {
		if is {
			set++
		}
	}
	if set != 1 {
		return fmt.Errorf("forget: %d of path, session and time are given: give exactly one", set)
	}
	return nil
}

// meant reports whether the filter selects an event.
func (f ForgetFilter) meant(e event.Event) bool {
	switch {
	case !f.Until.IsZero() && e.Time.After(f.Until):
		return false
	case f.Path != "":
		return mentions(e, f.Path)
	case f.Session != "":
		return e.Session == f.Session
	}
	return !e.Time.Before(f.Since)
}

// Forget deletes, in one transaction, every event that mentions the path (in a list or in its
// text), belongs to the session, or happened since the time. Before that it deletes the daily copy
// of the log. It returns what it deleted, with the events in order. The log refuses these events if
// they are delivered again. Their bytes remain in the file until Overwrite. Commits stay, because
// git has them anyway, but a forgotten path is removed from them, and the subject, too, if it
// contains the path.
func (d *DB) Forget(ctx context.Context, f ForgetFilter) (gone Forgotten, err error) {
	if err := f.Check(); err != nil {
		return gone, err
	}
	err = d.deleting(ctx, func(tx *Tx) error {
		g := &forgetting{tx: tx, d: d, filter: f}
		if err := g.events(); err != nil {
			return err
		}
		if f.Path != "" {
			if err := g.path(); err != nil {
				return err
			}
		}
		gone = g.gone
		return nil
	})
	return gone, err
}

// ForgetPeers is like Forget for those events of other clones for which meant is true.
func (d *DB) ForgetPeers(ctx context.Context, meant func(event.Event) bool) (gone Forgotten, err error) {
	var found []logged
	err = d.Write(ctx, "read events of peers", func(tx *Tx) (err error) {
		found, err = d.logged(tx, func(l logged) bool { return l.bad || meant(l.event) },
			"SELECT "+rowColumns+" FROM events WHERE counted = 2 ORDER BY id")
		return err
	})
	if err != nil || len(found) == 0 {
		return gone, err
	}
	for _, l := range found {
		gone.Events = append(gone.Events, l.event)
	}
	return gone, d.deleting(ctx, func(tx *Tx) error { return d.drop(tx, found) })
}

// deleting deletes the copy of the log, and then runs fn, which deletes rows, in one transaction.
// The transaction also records that the deleted bytes are still in the file.
func (d *DB) deleting(ctx context.Context, fn func(tx *Tx) error) error {
	unlock, err := d.dropCopy() // a copy that is made later no longer has the deleted rows
	defer unlock()
	if err != nil {
		return err
	}
	err = d.Write(ctx, "forget", func(tx *Tx) error {
		return errors.Join(fn(tx), tx.run([]any{metaScrub, "1"}, setMeta))
	})
	d.version.Add(1)
	return err
}

// Overwrite overwrites the bytes of everything that was forgotten, in the log and in the blobs, and
// deletes files that were moved aside. It does nothing if that has already been done. After an
// error it has to be called again; the log remembers that across a restart.
func (d *DB) Overwrite(ctx context.Context, b *Blobs) error {
	if left, err := d.Meta(ctx, metaScrub); err != nil || left == "" {
		return err
	}
	if err := errors.Join(removeAside(filepath.Dir(d.path)), b.Scrub(ctx), d.Scrub(ctx)); err != nil {
		return err
	}
	return d.SetMeta(ctx, metaScrub, "")
}

// Forgotten tells what a Forget deleted.
type Forgotten struct {
	Events  []event.Event  // in the order of the log
	Files   int            // for a path: the number of known names that were deleted, of the path itself and below it
	Commits int            // for a path: the number of commits that stay but no longer mention it
	Cached  map[string]int // number of deleted blobs by owner
}

// Any reports whether there was anything to forget.
func (g Forgotten) Any() bool {
	n := len(g.Events) + g.Files + g.Commits
	for _, blobs := range g.Cached {
		n += blobs
	}
	return n > 0
}

// forgetting is the state of one Forget.
type forgetting struct {
	tx     *Tx
	d      *DB
	filter ForgetFilter
	gone   Forgotten
}

// events deletes the events that the filter selects. It has to read all of them, because texts are
// sealed.
func (g *forgetting) events() error {
	found, err := g.d.logged(g.tx, g.filter.mayMean, "SELECT "+rowColumns+
		" FROM events WHERE counted IS NULL OR counted = 2 ORDER BY id")
	if err != nil {
		return err
	}
	for _, l := range found {
		if l.event.Origin == "" {
			g.gone.Events = append(g.gone.Events, l.event)
		}
	}
	return g.d.drop(g.tx, found)
}

// mayMean reports whether the filter selects an event. It also selects a row that cannot be
// decoded, because it is better to forget too much than to keep it.
func (f ForgetFilter) mayMean(l logged) bool {
	if !l.bad {
		return f.meant(l.event)
	}
	return (f.Session == "" || l.event.Session == f.Session) && (f.Since.IsZero() || l.at >= f.Since.UnixMilli())
}

// logged is an event with its row. If bad, the row could not be decoded completely, and event has
// only what could be read.
type logged struct {
	*row
	event event.Event
	bad   bool
}

// logged reads the rows of a query for which asked is true (nil: all), including those that cannot
// be decoded.
func (d *DB) logged(tx *Tx, asked func(logged) bool, query string, args ...any) (out []logged, err error) {
	err = tx.Each(query, args, func(from Row) error {
		l := logged{row: &row{}}
		err := l.scan(from)
		if err == nil {
			l.event, err = l.withText(d.seal)
		}
		if l.bad = errors.Is(err, ErrRow); (err == nil || l.bad) && (asked == nil || asked(l)) {
			out = append(out, l)
		}
		return err
	})
	return out, err
}

// drop deletes events. Their IDs remain known, so that they are refused if delivered again.
func (d *DB) drop(tx *Tx, found []logged) error {
	var events []event.Event
	for _, l := range found {
		events = append(events, l.event)
	}
	ids, err := d.fileIDs(tx, events)
	if err != nil {
		return err
	}
	var rows, digests, touches []any
	for _, l := range found {
		rows, digests = append(rows, l.id), append(digests, digestOf(l.event))
		for _, t := range touchesOf(l.row, l.event, ids) {
			touches = append(touches, t.file, t.counted, t.event)
		}
		if l.bad { // the files of a bad row are not known, so this reads the whole table
			if err := tx.run([]any{l.id}, "DELETE FROM touches WHERE event = ?"); err != nil {
				return err
			}
		}
	}
	err = tx.many("DELETE FROM events WHERE id IN (VALUES %s)", 1, rows, nil)
	if err == nil {
		err = tx.many("UPDATE ids SET event = NULL WHERE digest IN (VALUES %s)", 1, digests, nil)
	}
	if err == nil {
		err = tx.many("DELETE FROM touches WHERE (file, counted, event) IN (VALUES %s)", 3, touches, nil)
	}
	return err
}

// path removes the path from every commit and every table.
func (g *forgetting) path() error {
	if err := g.commits(); err != nil {
		return err
	}
	ids, err := g.d.named(background, g.tx, g.filter.Path)
	if err == nil {
		var below []int64
		below, err = g.d.named(background, g.tx, g.filter.Path+"/")
		ids = append(ids, below...)
	}
	g.gone.Files = len(ids)
	for _, id := range ids {
		if err == nil {
			err = g.tx.run([]any{id}, "DELETE FROM touches WHERE file = ?",
				"DELETE FROM renames WHERE was = ?1 OR became = ?1", "DELETE FROM files WHERE id = ?")
		}
	}
	g.d.ids = nil
	return err
}

// commits rewrites the commits that mention the path, a thousand at a time.
func (g *forgetting) commits() error {
	for last := int64(0); ; {
		found, err := g.d.logged(g.tx, nil, "SELECT "+rowColumns+
			" FROM events WHERE counted BETWEEN -1 AND 1 AND id > ? ORDER BY id LIMIT 1000", last)
		if err != nil || len(found) == 0 {
			return err
		}
		last = found[len(found)-1].id
		for _, l := range found {
			if !l.bad && !mentions(l.event, g.filter.Path) {
				continue
			}
			r, err := encodeRow(withoutPath(l.event, g.filter.Path), g.d.seal)
			if err != nil {
				return err
			}
			if l.kind == event.KindCommit {
				g.gone.Commits++
			}
			if err := g.tx.run([]any{l.id, r.body}, "UPDATE events SET body = ?2 WHERE id = ?1"); err != nil {
				return err
			}
		}
	}
}
