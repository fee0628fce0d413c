package cold

import "context"

// Pruned says what Prune took away.
type Pruned struct {
	Events int
	Bytes  int64 // that the store needs less
}

const (
	// pruneStep is how many events go in one transaction: others write in between.
	pruneStep = 500
	// eventBytes is what an event takes beside its body and text: its other columns, and its entries in the indexes
	// and in ids.
	eventBytes = 100
)

// selectSizes sums up what events that may be pruned take, and all else that takes much.
const selectSizes = `SELECT coalesce(sum(size) FILTER (WHERE counted IS NULL), 0), coalesce(sum(size) FILTER (WHERE counted IS NOT NULL), 0)
  + (SELECT coalesce(sum(length(body)), 0) FROM peers)
FROM (SELECT counted, length(body) + coalesce(length(text), 0) + ? AS size FROM events)`

// Prune deletes events, those logged first, until what remains needs at most maxBytes. Commits are neither counted
// nor deleted: they come from git. Only batches up to applied, the lowest that every consumer has on disk, go, since a
// restart replays the others; what was learned stays. Delivered again, a pruned event stays away. The order is that of the log, and no clock is asked.
func (d *DB) Prune(ctx context.Context, maxBytes, applied int64) (p Pruned, err error) {
	start, err := d.Used(ctx)
	if err != nil || start <= maxBytes {
		return p, err
	}
	var size, others int64
	if _, err := d.Scan(ctx, selectSizes, []any{eventBytes}, &size, &others); err != nil || size == 0 {
		return p, err
	}
	// Pages are not full, and names of files take space, too: each byte has its share of that.
	most := int64(float64(maxBytes) / float64(start) * float64(size+others))
	for last, n := int64(0), 1; size > most && n > 0 && err == nil; p.Events += n {
		n, err = d.pruneSome(ctx, applied, &last, &size)
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

// pruneSome deletes the first events behind last, of batches up to applied, moves last, and takes them off the size.
func (d *DB) pruneSome(ctx context.Context, applied int64, last, size *int64) (n int, err error) {
	err = d.Write(ctx, "prune store", func(tx *Tx) error {
		ended := false // by the first event that must stay, unless its number is impossible
		mayGo := func(l logged) bool {
			ended = ended || l.seq > applied && l.seq <= maxBatch
			return !ended
		}
		old, err := d.logged(tx, mayGo, "SELECT "+rowColumns+
			" FROM events WHERE counted IS NULL AND id > ? ORDER BY id LIMIT ?", *last, pruneStep)
		if err != nil {
			return err
		}
		for _, l := range old {
			*size -= int64(len(l.body) + len(l.text) + eventBytes)
		}
		if n = len(old); n > 0 {
			*last = old[n-1].id
		}
		return d.drop(tx, old)
	})
	return n, err
}
