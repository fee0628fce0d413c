package cold

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"github.com/aoa-dev/aoa/internal/event"
)

// Replay calls fn with every batch whose number is greater than after, in order, each as Append returned it:
// the same events in the same order. One batch is held in memory at a time. fn may use the store. Batches that
// were pruned or forgotten are missing whole or in part; commits are never pruned.
func (d *DB) Replay(ctx context.Context, after int64, fn func(seq int64, batch []event.Event) error) error {
	tx, err := d.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one moment of the store, however long it takes
	if err != nil {
		return d.explain("replay", err)
	}
	defer tx.Rollback() //nolint:errcheck // reading only
	r := &replay{d: d, ctx: ctx, tx: tx, fn: fn, names: map[int64]event.Path{}}
	err = r.run(after)
	if r.stopped {
		return err // the callback's own error, none of ours
	}
	return d.explain("replay", err)
}

// replay merges the two halves of the log: intent_log and the ledger of commits.
type replay struct {
	d       *DB
	ctx     context.Context
	tx      *sql.Tx
	fn      func(seq int64, batch []event.Event) error
	names   map[int64]event.Path
	file    *sql.Stmt
	between *sql.Stmt

	seq     int64 // of the batch that is being put together
	batch   []event.Event
	stopped bool // fn returned an error
}

func (r *replay) run(after int64) (err error) {
	if r.file, err = r.tx.PrepareContext(r.ctx, r.d.query("file_name")); err != nil {
		return err
	}
	if r.between, err = r.tx.PrepareContext(r.ctx, r.d.query("commits_between")); err != nil {
		return err
	}
	ledger, err := r.tx.QueryContext(r.ctx, r.d.query("replay_ledger"), after)
	if err != nil {
		return err
	}
	defer ledger.Close()
	events, err := r.tx.QueryContext(r.ctx, r.d.query("replay_events"), after)
	if err != nil {
		return err
	}
	defer events.Close()
	defer r.d.bad.warn()
	if err := r.merge(&eventReader{rows: Row{events}, bad: r.d.bad, last: after}, Row{ledger}); err != nil {
		return err
	}
	return r.flush()
}

// merge takes from whichever half comes first by batch and place. Rows that cannot be read are left out.
func (r *replay) merge(events *eventReader, ledger Row) error {
	var l ledgerRow
	e, err := events.next()
	if err != nil {
		return err
	}
	moreL, err := r.nextLine(ledger, &l)
	if err != nil {
		return err
	}
	for e != nil || moreL {
		if moreL && (e == nil || l.batch < e.batch || l.batch == e.batch && l.pos < e.pos) {
			if err := r.commits(l); err != nil {
				return err
			}
			if moreL, err = r.nextLine(ledger, &l); err != nil {
				return err
			}
			continue
		}
		ev, err := e.event(r.d.seal)
		if err == nil {
			err = r.add(e.batch, ev)
		}
		if err != nil && (r.stopped || !r.d.bad.skip(err)) {
			return err
		}
		if e, err = events.next(); err != nil {
			return err
		}
	}
	return nil
}

// eventReader reads the rows of intent_log in their order. A row whose batch does not stand between those of its
// neighbors is left out: one wrong number would make the learner pass over all batches below it.
type eventReader struct {
	rows  Row
	bad   *badRows
	last  int64     // batch of the row that was returned last
	ahead *eventRow // read, not returned yet
	over  bool
}

// next returns the next row, nil behind the last.
func (r *eventReader) next() (*eventRow, error) {
	for {
		if r.ahead == nil {
			if err := r.read(); err != nil || r.ahead == nil {
				return nil, err
			}
		}
		e := r.ahead
		if err := r.read(); err != nil {
			return nil, err
		}
		if e.batch < r.last || r.ahead != nil && r.ahead.batch >= r.last && r.ahead.batch < e.batch {
			r.bad.skip(fmt.Errorf("%w: event %q: its batch cannot be", ErrRow, e.id))
			continue
		}
		r.last = e.batch
		return e, nil
	}
}

// read reads a row into ahead; nil behind the last.
func (r *eventReader) read() error {
	r.ahead = nil
	for !r.over {
		if !r.rows.rows.Next() {
			r.over = true
			return r.rows.rows.Err()
		}
		e := &eventRow{}
		err := e.scan(r.rows)
		if err == nil && (e.batch <= 0 || e.batch > maxBatch) {
			err = fmt.Errorf("%w: event %q: its batch cannot be", ErrRow, e.id)
		}
		if err == nil {
			r.ahead = e
			return nil
		}
		if !r.bad.skip(err) {
			return err
		}
	}
	return nil
}

// ledgerRow is a row of ledger.
type ledgerRow struct {
	batch, pos, commit, n int64
	sign                  int64
	id                    sql.NullString
}

func (l *ledgerRow) fields() []any {
	return []any{&l.batch, &l.pos, &l.commit, &l.n, &l.sign, &l.id}
}

// nextLine reads a line of the ledger; more is false after the last.
func (r *replay) nextLine(rows Row, l *ledgerRow) (more bool, err error) {
	for rows.rows.Next() {
		err := rows.Scan(l.fields()...)
		if err == nil && (l.batch <= 0 || l.batch > maxBatch || l.n <= 0 || l.sign != 1 && l.sign != -1) {
			err = fmt.Errorf("%w: line %d of batch %d in the ledger of commits", ErrRow, l.pos, l.batch)
		}
		if err == nil {
			return true, nil
		}
		if !r.d.bad.skip(err) {
			return false, err
		}
	}
	return false, rows.rows.Err()
}

// commits adds the commits of one line of the ledger.
func (r *replay) commits(l ledgerRow) error {
	last := l.commit + l.n - 1
	if last < l.commit {
		last = math.MaxInt64
	}
	rows, err := r.between.QueryContext(r.ctx, l.commit, last, l.batch)
	if err != nil {
		return err
	}
	return r.d.each(rows, func(row Row) error {
		var c commitRow
		if err := row.Scan(c.fields()...); err != nil {
			return err
		}
		e, err := c.event(r.name)
		if err != nil {
			return err
		}
		if l.sign < 0 {
			e.Kind, e.ID = event.KindUncommit, l.id.String
			if !l.id.Valid {
				e.ID = uncommitID(c.sha)
			}
		}
		return r.add(l.batch, e)
	})
}

func (r *replay) name(id int64) (event.Path, error) {
	if p, ok := r.names[id]; ok {
		return p, nil
	}
	var p string
	found, err := exists(r.file.QueryRowContext(r.ctx, id).Scan(&p))
	if err == nil && !found {
		err = missingFile(id)
	}
	if err != nil {
		return "", err
	}
	r.names[id] = event.Path(p)
	return event.Path(p), nil
}

func (r *replay) add(seq int64, e event.Event) error {
	if seq != r.seq {
		if err := r.flush(); err != nil {
			return err
		}
		r.seq = seq
	}
	r.batch = append(r.batch, e)
	return nil
}

func (r *replay) flush() error {
	if len(r.batch) == 0 {
		return nil
	}
	err := r.fn(r.seq, r.batch)
	r.stopped = err != nil
	r.batch = nil
	return err
}
