package cold

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"github.com/aoa-dev/aoa/internal/event"
)

// rescued says what was copied from a damaged store into the fresh one.
type rescued struct {
	events int64 // copied
	lost   int64 // known to be missing between those: by the gaps in their numbers, or rows that cannot be read
}

// rescueBatch is how many events are copied at a time.
const rescueBatch = 500

// rescue appends the events that can still be read of a damaged copy. Commits are not copied, since git has them.
func (d *DB) rescue(ctx context.Context, aside string) (r rescued, err error) {
	db, err := sql.Open("sqlite", dsn(aside, "query_only(1)"))
	if err != nil {
		return r, err
	}
	defer db.Close()
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return r, err
	}
	var batch []event.Event
	flush := func() error {
		_, fresh, err := d.Append(ctx, batch)
		r.events += int64(len(fresh))
		batch = nil
		return err
	}
	names := d.pathsOf(ctx, db)
	path := func(id int64) (event.Path, error) {
		p, err := names(id)
		if classify(err) == ErrDamaged { // the names are damaged too: that costs the event
			err = fmt.Errorf("%w: %w", ErrRow, err)
		}
		return p, err
	}
	gone, query, decode := selectGone, selectRescued, d.decodeRescued
	if version < 5 {
		gone, query, decode = selectOldGone, selectOldRescued, d.decodeOld
	}
	if err := d.rescueGone(ctx, db, gone); err != nil {
		return r, err
	}
	r.lost, err = walk(ctx, db, query, 0, func(from Row) (int64, error) {
		id, e, err := decode(from, path)
		if err != nil {
			return id, err
		}
		if batch = append(batch, e); len(batch) == rescueBatch {
			err = flush()
		}
		return id, err
	})
	return r, errors.Join(err, flush())
}

const (
	selectRescued    = "SELECT " + rowColumns + " FROM events WHERE counted IS NULL AND id >= ? ORDER BY id"
	selectGone       = "SELECT digest FROM ids WHERE event IS NULL AND digest >= ? ORDER BY digest"
	selectOldRescued = selectOldEvents + " WHERE id >= ? ORDER BY id"
	selectOldGone    = "SELECT id FROM gone WHERE id >= ? ORDER BY id"
)

func (d *DB) decodeRescued(from Row, path func(int64) (event.Path, error)) (int64, event.Event, error) {
	var r row
	if err := r.scan(from); err != nil {
		return r.id, event.Event{}, err
	}
	e, err := r.event(d.seal, path)
	return r.id, e, err
}

func (d *DB) decodeOld(from Row, path func(int64) (event.Path, error)) (int64, event.Event, error) {
	var o oldRow
	if err := o.scan(from); err != nil {
		return o.id, event.Event{}, err
	}
	e, err := o.decode(path)
	if err == nil && len(o.blob) > 0 {
		var text []byte
		if text, err = d.seal.Open(textOf(e.ID), o.blob); !errors.Is(err, ErrRow) {
			err = nil
		}
		e.Text = string(text)
	}
	return o.id, e, err
}

// rescueGone copies which events were pruned or forgotten, so that they stay away.
func (d *DB) rescueGone(ctx context.Context, db *sql.DB, query string) error {
	var digests []any
	_, err := walk(ctx, db, query, math.MinInt64, func(row Row) (digest int64, err error) {
		err = row.Scan(&digest)
		digests = append(digests, digest)
		return digest, err
	})
	if err != nil {
		return err
	}
	return d.Write(ctx, "rescue what was forgotten", func(tx *Tx) error {
		return tx.many("INSERT OR IGNORE INTO ids (digest) VALUES %s", 1, digests, nil)
	})
}

// walk calls fn with the rows of a table in the order of their numbers, the first column; the statement's parameter is
// the number with which it begins. Where a page cannot be read it goes on behind it, and where fn says ErrRow, with the
// next row. skipped is how many numbers were left out between rows that were read.
func walk(ctx context.Context, db *sql.DB, query string, after int64, fn func(Row) (int64, error)) (skipped int64, err error) {
	last := after
	for jumped := false; ; jumped = true {
		rows, broken := db.QueryContext(ctx, query, after+1)
		if broken == nil {
			broken = func() error {
				defer rows.Close()
				for rows.Next() {
					var id int64
					if id, err = fn(Row{rows}); errors.Is(err, ErrRow) {
						skipped, err = skipped+1, nil
					}
					if err != nil {
						return nil
					}
					if jumped {
						skipped, jumped = skipped+id-last-1, false
					}
					last, after = id, id
				}
				return rows.Err()
			}()
		}
		switch {
		case err != nil || broken == nil:
			return skipped, err
		case classify(broken) != ErrDamaged:
			return skipped, broken
		}
		next, ok := readable(ctx, db, query, after)
		if !ok {
			return skipped, nil
		}
		after = next
	}
}

// readable is the first number behind a broken place after which rows can be read again.
func readable(ctx context.Context, db *sql.DB, query string, broken int64) (after int64, ok bool) {
	reads := func(after int64) bool {
		rows, err := db.QueryContext(ctx, query, after+1)
		if err != nil {
			return false
		}
		defer rows.Close()
		return rows.Next()
	}
	step := int64(1)
	for ; !reads(broken + step); step *= 2 {
		if step > math.MaxInt64/2 || broken+step > math.MaxInt64-2*step {
			return 0, false
		}
	}
	low, high := broken+step/2, broken+step // broken there, whole here
	for high-low > 1 {
		if middle := low + (high-low)/2; reads(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}
