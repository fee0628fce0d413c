package cold

import (
	"context"
	"database/sql"

	"github.com/aoa-dev/aoa/internal/aoa"
)

// Replay calls fn with every batch whose number is greater than after, in order, each as Append returned it:
// the same events in the same order. One batch is held in memory at a time. fn may use the store. Batches that
// were pruned or forgotten are missing whole or in part; commits are never pruned.
func (d *DB) Replay(ctx context.Context, after int64, fn func(seq int64, batch []aoa.Event) error) error {
	tx, err := d.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one moment of the store, however long it takes
	if err != nil {
		return d.explain("replay", err)
	}
	defer tx.Rollback() //nolint:errcheck // reading only
	r := &replay{d: d, ctx: ctx, tx: tx, fn: fn, names: map[int64]aoa.Path{}}
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
	fn      func(seq int64, batch []aoa.Event) error
	names   map[int64]aoa.Path
	file    *sql.Stmt
	between *sql.Stmt

	seq     int64 // of the batch that is being put together
	batch   []aoa.Event
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
	if err := r.merge(events, ledger); err != nil {
		return err
	}
	return r.flush()
}

// merge takes from whichever half comes first by batch and place.
func (r *replay) merge(events, ledger *sql.Rows) error {
	var e eventRow
	var l ledgerRow
	moreE, err := next(events, e.fields()...)
	if err != nil {
		return err
	}
	moreL, err := next(ledger, l.fields()...)
	if err != nil {
		return err
	}
	for moreE || moreL {
		if moreL && (!moreE || l.batch < e.batch || l.batch == e.batch && l.pos < e.pos) {
			if err := r.commits(l); err != nil {
				return err
			}
			if moreL, err = next(ledger, l.fields()...); err != nil {
				return err
			}
			continue
		}
		event, err := e.event(r.d.seal)
		if err != nil {
			return err
		}
		if err := r.add(e.batch, event); err != nil {
			return err
		}
		if moreE, err = next(events, e.fields()...); err != nil {
			return err
		}
	}
	return nil
}

// next reads a row; more is false after the last.
func next(rows *sql.Rows, dst ...any) (more bool, err error) {
	if !rows.Next() {
		return false, rows.Err()
	}
	return true, rows.Scan(dst...)
}

// ledgerRow is a row of ledger.
type ledgerRow struct {
	batch, pos, commit, n int64
	sign                  int
	id                    sql.NullString
}

func (l *ledgerRow) fields() []any {
	return []any{&l.batch, &l.pos, &l.commit, &l.n, &l.sign, &l.id}
}

// commits adds the commits of one line of the ledger.
func (r *replay) commits(l ledgerRow) error {
	rows, err := r.between.QueryContext(r.ctx, l.commit, l.commit+l.n-1)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var c commitRow
		if err := rows.Scan(c.fields()...); err != nil {
			return err
		}
		e, err := c.event(r.name)
		if err != nil {
			return err
		}
		if l.sign < 0 {
			e.Kind, e.ID = aoa.KindUncommit, l.id.String
			if !l.id.Valid {
				e.ID = uncommitID(c.sha)
			}
		}
		if err := r.add(l.batch, e); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (r *replay) name(id int64) (aoa.Path, error) {
	if p, ok := r.names[id]; ok {
		return p, nil
	}
	var p string
	if err := r.file.QueryRowContext(r.ctx, id).Scan(&p); err != nil {
		return "", err
	}
	r.names[id] = aoa.Path(p)
	return aoa.Path(p), nil
}

func (r *replay) add(seq int64, e aoa.Event) error {
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
