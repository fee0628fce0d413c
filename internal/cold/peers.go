package cold

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Peer is what the log has of the daemon of another clone.
type Peer struct {
	Origin string
	Events int
	Bytes  int64
	Newest time.Time // of its events
}

// AppendPeers logs events of the daemons of other clones in one transaction, like Append. Their IDs begin with their
// origins. They are in no total, and only Replay and Peers return them.
func (d *DB) AppendPeers(ctx context.Context, events []event.Event) (seq int64, fresh []event.Event, err error) {
	err = d.Write(ctx, "append events of peers", func(tx *Tx) error {
		known := map[int64]bool{}
		var digests, rows, ids []any
		for _, e := range events {
			digests = append(digests, digestOf(e))
		}
		err := tx.many("SELECT digest FROM ids WHERE digest IN (VALUES %s)", 1, digests, func(row Row) error {
			var digest int64
			err := row.Scan(&digest)
			known[digest] = true
			return err
		})
		seq = d.seq.Load() + 1
		for i, e := range events {
			digest := digests[i].(int64)
			body, jerr := json.Marshal(e)
			if known[digest] || jerr != nil { // what no JSON can say is no event of a peer
				continue
			}
			known[digest] = true
			fresh = append(fresh, e)
			rows = append(rows, seq, e.Time.UnixMilli(), e.Origin, body)
			ids = append(ids, digest)
		}
		if err != nil || len(fresh) == 0 {
			return err
		}
		if err := tx.many("INSERT INTO peers (seq, time, origin, body) VALUES %s", 4, rows, nil); err != nil {
			return err
		}
		if err := tx.many("INSERT INTO ids (digest) VALUES %s", 1, ids, nil); err != nil {
			return err
		}
		return tx.run([]any{metaSeq, fmt.Sprint(seq)}, setMeta)
	})
	if err != nil {
		return 0, nil, err
	}
	if len(fresh) == 0 {
		return d.seq.Load(), nil, nil
	}
	d.committed(seq)
	return seq, fresh, nil
}

// peerReplay hands over the batches of peers that lie between other batches.
type peerReplay struct {
	d    *DB
	fn   func(seq int64, batch []event.Event) error
	next int64 // number of the next batch; math.MaxInt64 after the last
}

// begin finds the first batch behind a number.
func (p *peerReplay) begin(ctx context.Context, after int64) error {
	p.next = math.MaxInt64
	_, err := p.d.Scan(ctx, "SELECT coalesce(min(seq), ?2) FROM peers WHERE seq > ?1", []any{after, p.next}, &p.next)
	return err
}

// until hands over the batches below a number.
func (p *peerReplay) until(ctx context.Context, end int64) error {
	for p.next < end {
		seq := p.next
		batch, err := p.d.peerEvents(ctx, "SELECT body FROM peers WHERE seq = ? ORDER BY id", seq)
		if err != nil {
			return err
		}
		if len(batch) > 0 {
			if err := p.fn(seq, batch); err != nil {
				return err
			}
		}
		if err := p.begin(ctx, seq); err != nil {
			return err
		}
	}
	return nil
}

func (d *DB) peerEvents(ctx context.Context, query string, args ...any) (out []event.Event, err error) {
	err = d.Each(ctx, query, args, func(row Row) error {
		e, err := scanPeer(row)
		if err == nil {
			out = append(out, e)
		}
		return err
	})
	return out, err
}

func scanPeer(row Row, before ...any) (e event.Event, err error) {
	var body []byte
	if err := row.Scan(append(before, &body)...); err != nil {
		return e, err
	}
	if json.Unmarshal(body, &e) != nil {
		return e, fmt.Errorf("%w: an event of a peer is no JSON", ErrRow)
	}
	return e, nil
}

// Peers lists whose events the log has, by name.
func (d *DB) Peers(ctx context.Context) (out []Peer, err error) {
	err = d.Each(ctx, `SELECT origin, count(*), sum(length(body) + ?), max(time) FROM peers GROUP BY origin ORDER BY origin`,
		[]any{eventBytes}, func(row Row) error {
			var p Peer
			var newest int64
			if err := row.Scan(&p.Origin, &p.Events, &p.Bytes, &newest); err != nil {
				return err
			}
			p.Newest = moment(newest)
			out = append(out, p)
			return nil
		})
	return out, err
}

// PrunePeers deletes events of peers until they take at most maxBytes: always the oldest of the origin that takes
// most, so that one that floods the log displaces only itself. Only what every consumer has applied goes, as of
// Prune. It returns how many.
func (d *DB) PrunePeers(ctx context.Context, maxBytes, applied int64) (gone int, err error) {
	for err == nil {
		var peers []Peer
		if peers, err = d.Peers(ctx); err != nil {
			break
		}
		total, most := int64(0), Peer{}
		for _, p := range peers {
			if total += p.Bytes; p.Bytes > most.Bytes {
				most = p
			}
		}
		if total <= maxBytes {
			break
		}
		var n int64
		err = d.Write(ctx, "prune events of peers", func(tx *Tx) error {
			r, err := tx.Exec(`DELETE FROM peers WHERE id IN
  (SELECT id FROM peers WHERE origin = ?1 AND seq <= ?2 ORDER BY id LIMIT ?3)`, most.Origin, applied, pruneStep)
			if err == nil {
				n, err = r.RowsAffected()
			}
			return err
		})
		if gone += int(n); n == 0 {
			break
		}
	}
	return gone, err
}

// peersMeant are the rows of events of peers that are meant. What cannot be read may be.
func (d *DB) peersMeant(ctx context.Context, db querier, meant func(event.Event) bool) (ids []any, err error) {
	err = d.each(ctx, db, "SELECT id, body FROM peers ORDER BY id", nil, func(row Row) error {
		var id int64
		if e, err := scanPeer(row, &id); err != nil || meant(e) {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}

// dropPeers deletes rows of events of peers.
func dropPeers(tx *Tx, ids []any) error {
	return tx.many("DELETE FROM peers WHERE id IN (VALUES %s)", 1, ids, nil)
}
