package cold

import (
	"context"
	"time"
)

// Pruned says what Prune took away.
type Pruned struct {
	Events int
	Bytes  int64 // that the store needs less
}

const (
	// pruneStep is how many events go in one transaction: others write in between.
	pruneStep = 500
	// eventBytes is the estimated size of an event without its body and text: its other columns,
	// and its entries in indexes and ids.
	eventBytes = 250
)

// selectSizes sums up what events that may be pruned take, and all others.
const selectSizes = `SELECT coalesce(sum(size) FILTER (WHERE counted IS NULL), 0),
  coalesce(sum(size) FILTER (WHERE counted IS NOT NULL), 0)
FROM (SELECT counted, length(body) + coalesce(length(text), 0) + ? AS size FROM events)`

// Prune deletes events, those logged first, until what remains needs at most maxBytes. Commits are
// neither counted nor deleted, because they come from git. It only deletes up to applied, the last
// batch in the snapshot on disk, because a restart replays later ones. What was learned from
// deleted events stays, and the log refuses them if they are delivered again. Prune goes by the
// order of the log, so no wrong clock can delete events. It calls between after each transaction.
func (d *DB) Prune(ctx context.Context, maxBytes, applied int64, between func() error) (p Pruned, err error) {
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

// pruneSome deletes the first events that meet a condition, of batches up to applied.
func (d *DB) pruneSome(ctx context.Context, applied int64, condition string, args ...any) (n int, bytes int64, err error) {
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

// Peer says what the log has from the daemon of another clone.
type Peer struct {
	Origin string
	Events int
	Bytes  int64
	Newest time.Time // of its events
}

// Peers lists whose events the log has, by name.
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

// PrunePeers deletes events of peers until they take at most maxBytes: always the oldest of the
// origin that takes most, so that one that floods the log displaces only itself. Only batches up to
// applied go, as of Prune. It returns how many.
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
