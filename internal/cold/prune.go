package cold

import "context"

// Pruned says what Prune took away.
type Pruned struct {
	Events int
	Bytes  int64 // that the store needs less
}

// pruneStep is how many events go in one transaction: others write in between.
const pruneStep = 500

// Prune deletes the events of the batches up to due (see Calendar), and then those logged first until the store needs at
// most maxBytes (0 is no limit). Only batches inside the snapshot and up to applied, the lowest that every consumer has
// applied, go, since a restart replays the others; commits, totals and what was learned stay. Delivered again, a pruned
// event stays away. The order is that of the log: the time of an event says nothing about when it was logged.
func (d *DB) Prune(ctx context.Context, due, maxBytes, applied int64) (Pruned, error) {
	var p Pruned
	start, err := d.Used(ctx)
	if err != nil {
		return p, err
	}
	last := int64(0) // events.id
	for n := pruneStep; n == pruneStep; p.Events += n {
		if n, err = d.pruneSome(ctx, min(due, applied), &last); err != nil {
			return p, err
		}
	}
	for used, n := start, 1; maxBytes > 0 && n > 0; p.Events += n {
		if used, err = d.Used(ctx); err != nil || used <= maxBytes {
			break
		}
		if n, err = d.pruneSome(ctx, applied, &last); err != nil {
			break
		}
	}
	if err != nil || p.Events == 0 {
		return p, err
	}
	if err := d.GiveBack(ctx); err != nil {
		return p, err
	}
	end, err := d.Used(ctx)
	p.Bytes = start - end
	return p, err
}

// pruneSome deletes the first events behind last, of batches up to due and inside the snapshot, and moves last.
func (d *DB) pruneSome(ctx context.Context, due int64, last *int64) (n int, err error) {
	snapshot, err := d.SnapshotSeq(ctx)
	if err != nil {
		return 0, err
	}
	due = min(due, snapshot)
	err = d.Write(ctx, "prune store", func(tx *Tx) error {
		ended := false // by the first event that is not due, unless its number cannot be
		isDue := func(r *row) bool {
			ended = ended || r.seq > due && r.seq <= maxBatch
			return !ended
		}
		old, err := d.logged(tx, isDue, "SELECT "+rowColumns+
			" FROM events WHERE counted IS NULL AND id > ? ORDER BY id LIMIT ?", *last, pruneStep)
		if err != nil {
			return err
		}
		if n = len(old); n > 0 {
			*last = old[n-1].id
		}
		return d.drop(tx, old)
	})
	return n, err
}
