package cold

import (
	"context"
	"time"
)

// Pruned tells what Prune deleted.
type Pruned struct {
	Events int
	Bytes  int64 // number of bytes by which the store shrank
}

const (
	// pruneStep is the number of events that are deleted in one transaction. Others can write
	// between two of them.
	pruneStep = 500
	// eventBytes is the estimated size of an event without its body and text: the other columns and
	// the entries in indexes and ids.
	eventBytes = 250
)

// selectSizes sums up the sizes of the events that may be pruned, and of all others.
const selectSizes = `SELECT coalesce(sum(size) FILTER (WHERE counted IS NULL), 0),
  coalesce(sum(size) FILTER (WHERE counted IS NOT NULL), 0)
FROM (SELECT counted, length(body) + coalesce(length(text), 0) + ? AS size FROM events)`

// Prune deletes events, starting with those logged first, until the rest needs at most maxBytes.
// Commits are neither counted nor deleted, because they come from git. Only batches up to applied
// are deleted; that is the last batch in the snapshot on disk, and a restart replays later ones.
// What was learned from deleted events stays, and the log refuses them if they are delivered again.
// Prune goes by the order of the log, so a wrong clock cannot delete events. It calls between after
// each transaction.
func (d *DB) Prune(ctx context.Context, maxBytes, applied int64, between func() error) (p Pruned, err error) {
	start, err := d.Used(ctx)
	if err != nil || start <= maxBytes {
		return p, err
	}
	var size, others int64
	if _, err := d.Scan(ctx, selectSizes, []any{eventBytes}, &size, &others); err != nil || size == 0 {
		return p, err
	}
	// Pages are not full, and names of files take space, too. So the limit is scaled to the bytes
	// of events alone.
	most := int64(float64(maxBytes) / float64(start) * float64(size+others))
	for n := 1; size > most && n > 0 && err == nil; p.Events += n {
		var bytes int64
		n, bytes, err = d.pruneSome(ctx, applied, "counted IS NULL")
		size -= bytes
		if err == nil {
			err = between()
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

// pruneSome deletes the first events that meet a condition, in batches up to applied.
func (d *DB) pruneSome(ctx context.Context, applied int64, condition string,
	args ...any) (n int, bytes int64, err error) {
	err = d.Write(ctx, "prune store", func(tx *Tx) error {
		old, err := d.logged(tx, nil, "SELECT "+rowColumns+" FROM events WHERE "+condition+" AND id <= ? ORDER BY id LIMIT ?",
			append(args, applied, pruneStep)...)
		if err != nil {
			return err
		}
		n, bytes = len(old), 0
		for _, l := range old {
			bytes += int64(len(l.body) + len(l.text) + eventBytes)
		}
		return d.drop(tx, old)
	})
	return n, bytes, err
}

// Peer tells what the log has from the daemon of another clone.
type Peer struct {
	Origin string
	Events int
	Bytes  int64
	Newest time.Time // time of its newest event
}

// Peers returns the other clones whose events the log has, by name.
func (d *DB) Peers(ctx context.Context) (out []Peer, err error) {
	err = d.Each(ctx, `SELECT origin, count(*), sum(length(body) + coalesce(length(text), 0) + ?), max(time) FROM events
WHERE counted = 2 GROUP BY origin ORDER BY origin`, []any{eventBytes}, func(row Row) error {
		var p Peer
		var newest int64
		err := row.Scan(&p.Origin, &p.Events, &p.Bytes, &newest)
		if p.Newest = moment(newest); err == nil {
			out = append(out, p)
		}
		return err
	})
	return out, err
}

// PrunePeers deletes events of other clones until they take at most maxBytes. It always deletes the
// oldest events of the clone that takes most, so that a clone that floods the log displaces only
// its own events. Like Prune, it deletes only batches up to applied. It returns the number of
// deleted events.
func (d *DB) PrunePeers(ctx context.Context, maxBytes, applied int64, between func() error) (gone int, err error) {
	for {
		peers, err := d.Peers(ctx)
		total, most := int64(0), Peer{}
		for _, p := range peers {
			if total += p.Bytes; p.Bytes > most.Bytes {
				most = p
			}
		}
		if err != nil || total <= maxBytes {
			return gone, err
		}
		n, _, err := d.pruneSome(ctx, applied, "counted = 2 AND origin = ?", most.Origin)
		if gone += n; err != nil || n == 0 {
			return gone, err
		}
		if err := between(); err != nil {
			return gone, err
		}
	}
}
