package cold

import (
	"context"
	"math"

	"github.com/aoa-dev/aoa/internal/event"
)

// Pruned says what Prune took away.
type Pruned struct {
	Events int
	Bytes  int64 // that the store needs less
}

// pruneStep is how many events go in one transaction: others write in between.
const pruneStep = 500

// Prune deletes the raw events of the batches up to due (see Calendar), and then those logged first until the store needs
// at most maxBytes (0 is no limit). Only batches inside the snapshot go, since a restart replays the others; commits,
// statistics and what was learned stay. Delivered again, a pruned event stays away. The order is that of the log: what
// time an event tells says nothing about when it was logged.
func (d *DB) Prune(ctx context.Context, due, maxBytes int64) (Pruned, error) {
	var p Pruned
	start, err := d.Used(ctx)
	if err != nil {
		return p, err
	}
	for {
		n, err := d.pruneStep(ctx, due)
		p.Events += n
		if err != nil {
			return p, err
		}
		if n < pruneStep {
			break
		}
	}
	for maxBytes > 0 {
		used, err := d.Used(ctx)
		if err != nil {
			return p, err
		}
		if used <= maxBytes {
			break
		}
		n, err := d.pruneStep(ctx, math.MaxInt64)
		p.Events += n
		if err != nil {
			return p, err
		}
		if n == 0 {
			break
		}
	}
	if p.Events == 0 {
		return p, nil
	}
	if err := d.GiveBack(ctx); err != nil {
		return p, err
	}
	end, err := d.Used(ctx)
	p.Bytes = start - end
	return p, err
}

// pruneStep deletes the first events of the log, of batches up to due.
func (d *DB) pruneStep(ctx context.Context, due int64) (n int, err error) {
	snapshot, err := d.SnapshotSeq(ctx)
	if err != nil {
		return 0, err
	}
	err = d.write(ctx, "prune store", func(w writing) error {
		old, err := w.oldest(min(due, snapshot))
		if err != nil {
			return err
		}
		names := newNames(w)
		for _, l := range old {
			if _, err := w.drop(names, l); err != nil {
				return err
			}
		}
		n = len(old)
		return nil
	})
	if err == nil && n > 0 {
		d.anyGone.Store(true)
	}
	return n, err
}

// oldest reads the first events of the log, of batches up to due.
func (w writing) oldest(due int64) ([]logged, error) {
	s, err := w.stmt("oldest_events")
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(background, pruneStep)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []logged
	for rows.Next() {
		var l logged
		var r eventRow
		if err = r.scan(Row{rows}, &l.id); err == nil {
			l.event, err = r.event(w.d.seal)
		} else {
			l.event = event.Event{ID: r.id}
		}
		if err == nil && r.batch > due {
			break
		}
		if err != nil && !w.f.bad.skip(err) { // a row that cannot be read is pruned like the others
			return nil, err
		}
		out = append(out, l)
	}
	return out, rows.Err()
}
