package cold

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/aoa-dev/aoa/internal/event"
)

// selectAfter finds the first of the rows behind a batch from the end of the log: they are what is read. One of those
// before may have a wrong number, hence four of them.
const selectAfter = "SELECT " + rowColumns + ` FROM events
WHERE id > coalesce((SELECT min(id) FROM (SELECT id FROM events WHERE ?1 > 0 AND seq <= ?1 ORDER BY id DESC LIMIT 4)), 0)
  AND seq > ?1 ORDER BY id`

// Replay calls fn with every batch whose number is greater than after, in order, each as Append or AppendPeers returned
// it: the same events in the same order, without sealed texts. One batch is held in memory at a time. fn may use the store. Batches that
// were pruned or forgotten are missing whole or in part; commits are never pruned.
func (d *DB) Replay(ctx context.Context, after int64, fn func(seq int64, batch []event.Event) error) error {
	p := &peerReplay{d: d, fn: fn}
	if err := p.begin(ctx, after); err != nil {
		return err
	}
	err := d.Own(ctx, after, func(seq int64, batch []event.Event) error {
		if err := p.until(ctx, seq); err != nil {
			return err
		}
		return fn(seq, batch)
	})
	if err != nil {
		return err
	}
	return p.until(ctx, maxBatch)
}

// Own is Replay without the events of peers.
func (d *DB) Own(ctx context.Context, after int64, fn func(seq int64, batch []event.Event) error) error {
	return d.replay(ctx, selectAfter, after, after, false, fn)
}

// replay is Replay of the rows of a query with one argument, behind a batch. With partial, the part of a batch that
// was read before an error is handed over.
func (d *DB) replay(ctx context.Context, query string, arg, after int64, partial bool,
	fn func(seq int64, batch []event.Event) error) error {
	tx, err := d.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one moment of the store, however long it takes
	if err != nil {
		return d.explain("replay", err)
	}
	defer tx.Rollback() // reading only
	r := &replay{d: d, fn: fn, last: after, path: d.pathsOf(ctx, tx)}
	err = d.each(ctx, tx, query, []any{arg}, r.next)
	if err == nil || partial && r.stopped == nil {
		err = cmp.Or(err, r.end())
	}
	if r.stopped != nil {
		return r.stopped
	}
	return d.explain("replay", err)
}

// replay puts rows together into batches. A row whose batch does not lie between those of its neighbors is left
// out: one wrong number would make the consumers pass over all batches below it.
type replay struct {
	d    *DB
	fn   func(seq int64, batch []event.Event) error
	path func(int64) (event.Path, error)

	last    int64 // batch of the row that was decoded last
	waiting *row  // read, not decoded: its successor must be seen first; nil before the first
	seq     int64 // of the batch that is being put together
	batch   []event.Event
	stopped error // of fn
}

var errStopped = errors.New("stopped by the caller")

func (r *replay) next(from Row) error {
	n := &row{}
	if err := n.scan(from); err != nil {
		return err
	}
	if n.seq <= 0 || n.seq > maxBatch {
		return n.misplaced()
	}
	before := r.waiting
	r.waiting = n
	return r.decode(before, n)
}

// decode adds a row to its batch; ahead is the row behind it.
func (r *replay) decode(n, ahead *row) error {
	if n == nil {
		return nil
	}
	if n.seq < r.last || ahead != nil && ahead.seq >= r.last && ahead.seq < n.seq {
		return n.misplaced()
	}
	r.last = n.seq
	e, err := n.folded(r.path)
	if err != nil {
		return err
	}
	if n.seq != r.seq {
		if err := r.flush(); err != nil {
			return err
		}
		r.seq = n.seq
	}
	r.batch = append(r.batch, e)
	return nil
}

func (r *row) misplaced() error {
	return fmt.Errorf("%w: event %d: its batch is impossible", ErrRow, r.id)
}

// end decodes the last row and hands the last batch over.
func (r *replay) end() error {
	defer r.d.bad.warn()
	if err := r.decode(r.waiting, nil); err != nil && !r.d.bad.skip(err) {
		return err
	}
	return r.flush()
}

func (r *replay) flush() error {
	if len(r.batch) == 0 {
		return nil
	}
	batch := r.batch
	r.batch = nil
	if r.stopped = r.fn(r.seq, batch); r.stopped != nil {
		return errStopped
	}
	return nil
}
