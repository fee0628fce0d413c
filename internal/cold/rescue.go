package cold

import (
	"context"
	"database/sql"
	"errors"
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
	if err := d.rescueGone(ctx, db); err != nil {
		return r, err
	}
	var batch []event.Event
	flush := func() error {
		_, fresh, err := d.Append(ctx, batch)
		r.events += int64(len(fresh))
		batch = nil
		return err
	}
	skipped, err := walk(ctx, db, d.query("rescue_events"), 0, func(row Row) (id int64, err error) {
		var e eventRow
		if err := e.scan(row, &id); err != nil {
			return id, err
		}
		ev, err := e.event(d.seal)
		if err != nil {
			return id, err
		}
		if batch = append(batch, ev); len(batch) == rescueBatch {
			err = flush()
		}
		return id, err
	})
	r.lost = skipped
	return r, errors.Join(err, flush())
}

// rescueGone copies which events were pruned or forgotten, so that they stay away.
func (d *DB) rescueGone(ctx context.Context, db *sql.DB) error {
	var ids []int64
	_, err := walk(ctx, db, d.query("rescue_gone"), math.MinInt64, func(row Row) (id int64, err error) {
		err = row.Scan(&id)
		ids = append(ids, id)
		return id, err
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	err = d.write(ctx, "rescue what was forgotten", func(w writing) error {
		for _, id := range ids {
			if err := w.run("insert_gone", id); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		d.anyGone.Store(true)
	}
	return err
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
