package cold

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/aoa-dev/aoa/internal/event"
)

// Replay calls fn with every batch whose number is greater than after, in order. Each batch is as
// Append returned it: the same events in the same order, without sealed texts. Only one batch is in
// memory at a time. fn may use the store. Batches that were pruned or forgotten are missing
// completely or in part; commits are never pruned.
func (d *DB) Replay(ctx context.Context, after int64, fn func(seq int64, batch []event.Event) error) error {
	return d.replay(ctx, "", after, fn)
}

// Own is like Replay but leaves out the events of other clones.
func (d *DB) Own(ctx context.Context, after int64, fn func(seq int64, batch []event.Event) error) error {
	return d.replay(ctx, " AND counted IS NOT 2", after, fn)
}

var errStopped = errors.New("stopped by the caller")

// replay replays the events that meet a condition.
func (d *DB) replay(ctx context.Context, condition string, after int64,
	fn func(seq int64, batch []event.Event) error) error {
	// One read transaction sees the same state of the store, however long the replay takes.
	tx, err := d.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return d.explain("replay", err)
	}
	defer tx.Rollback() // nothing was written
	var batch []event.Event
	var seq int64
	var stopped error // the error of fn
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		events := batch
		batch = nil
		if stopped = fn(seq, events); stopped != nil {
			return errStopped
		}
		return nil
	}
	query := "SELECT " + rowColumns + " FROM events WHERE id > ?" + condition + " ORDER BY id"
	err = d.each(ctx, tx, query, []any{after}, func(from Row) error {
		var r row
		if err := r.scan(from); err != nil {
			return err
		}
		e, err := r.folded()
		if err == nil && (r.seq < r.id || r.seq > r.id+maxBatchEvents) {
			err = fmt.Errorf("%w: event %d: its batch number is not valid", ErrRow, r.id)
		}
		if err != nil {
			return err
		}
		if r.seq > seq { // a smaller number is damaged; consumers would skip the batch
			if err := flush(); err != nil {
				return err
			}
			seq = r.seq
		}
		batch = append(batch, e)
		return nil
	})
	if err == nil {
		_ = flush()
	}
	if stopped != nil {
		return stopped
	}
	return d.explain("replay", err)
}

// maxBatchEvents is far more than one Append ever gets.
const maxBatchEvents = 1 << 20
