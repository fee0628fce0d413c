package cold

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strconv"

	"github.com/aoa-dev/aoa/internal/event"
)

// Append logs a batch in one transaction and returns its number and the events that were not known yet, in
// their order, in the form in which Replay will return them: without sealed texts. Known is an event whose ID was logged, pruned or
// forgotten before; a commit that is counted; an uncommit of a commit that is not. An uncommit comes back with
// the files, terms and times of the commit that it takes back. If nothing is fresh, nothing is written and seq
// is the number of the last batch.
func (d *DB) Append(ctx context.Context, events []event.Event) (seq int64, fresh []event.Event, err error) {
	return d.AppendCommits(ctx, events, nil)
}

// AppendCommits is Append that moves the cursor of the history import in the same transaction: ref → sha of
// the last commit seen. Refs that are not named stay; an empty sha drops the ref.
func (d *DB) AppendCommits(ctx context.Context, events []event.Event,
	cursor map[string]string) (seq int64, fresh []event.Event, err error) {
	if len(events) == 0 && len(cursor) == 0 {
		return d.seq.Load(), nil, nil
	}
	var b *batch
	err = d.Write(ctx, "append events", func(tx *Tx) error {
		if err := moveCursor(tx, cursor); err != nil {
			return err
		}
		b = &batch{tx: tx, d: d, seq: d.seq.Load() + 1, state: map[int64]mention{}, counted: map[int64]int64{}}
		if err := b.take(events); err != nil || len(b.fresh) == 0 {
			return err
		}
		return b.flush()
	})
	if err != nil {
		return 0, nil, err
	}
	if len(b.fresh) == 0 {
		return d.seq.Load(), nil, nil
	}
	d.committed(b.seq)
	has := func(kinds ...event.Kind) bool {
		return slices.ContainsFunc(b.fresh, func(e event.Event) bool { return slices.Contains(kinds, e.Kind()) })
	}
	if has(event.KindRename) {
		d.renamed.Add(1)
	}
	if has(event.KindRename, event.KindCommit, event.KindUncommit) {
		d.commits.Add(1)
	}
	for i, e := range b.fresh {
		b.fresh[i] = e.WithoutText()
	}
	return b.seq, b.fresh, nil
}

// batch is one Append under way: take decides event by event what is fresh, flush writes it.
type batch struct {
	tx    *Tx
	d     *DB
	seq   int64
	first int64         // events.id of fresh[0]
	fresh []event.Event // to be written
	// state has what is known of the events of the batch: digest → the newest row about it.
	state   map[int64]mention
	counted map[int64]int64 // events.id of a commit or uncommit that the batch takes back → what its counted was
}

// mention is the newest row about an event. The row of a pruned or forgotten event is 0.
type mention struct {
	id      int64
	counted int64 // of a commit or uncommit, else 0
}

func (b *batch) take(events []event.Event) error {
	if _, err := b.tx.Scan("SELECT coalesce(max(id), 0) + 1 FROM events", nil, &b.first); err != nil {
		return err
	}
	digests := make([]any, len(events))
	for i, e := range events {
		digests[i] = digestOf(e)
	}
	err := b.tx.many(`SELECT digest, coalesce(event, 0), coalesce(counted, 0)
FROM ids LEFT JOIN events ON id = event WHERE digest IN (VALUES %s)`,
		1, digests, func(row Row) error {
			var digest int64
			var m mention
			err := row.Scan(&digest, &m.id, &m.counted)
			b.state[digest] = m
			return err
		})
	if err != nil {
		return err
	}
	for i, e := range events {
		e, digest := canonical(e), digests[i].(int64)
		m, known := b.state[digest]
		switch {
		case e.Kind() == event.KindCommit && m.counted == 1, e.Kind() == event.KindUncommit && m.counted != 1:
			continue
		case e.Kind() == event.KindCommit && m.counted == -1:
			b.counted[m.id] = -1
		case e.Kind() == event.KindUncommit:
			back, err := b.takeBack(m)
			if b.tx.f.bad.skip(err) {
				b.state[digest] = mention{id: m.id}
				continue // Replay leaves the commit out as well
			}
			if err != nil {
				return err
			}
			back.ID = e.ID
			if c, ok := back.Body.(event.Commit); ok {
				back.Body = event.Uncommit(c)
			}
			e = back
		case known && e.Kind() != event.KindCommit:
			continue
		}
		m = mention{id: b.first + int64(len(b.fresh)), counted: countedOf(e.Kind())}
		b.state[digest] = m
		b.fresh = append(b.fresh, e)
	}
	return nil
}

// countedOf is the column counted of a new row, 0 for NULL.
func countedOf(k event.Kind) int64 {
	switch k {
	case event.KindCommit:
		return 1
	case event.KindUncommit:
		return -1
	}
	return 0
}

// takeBack returns the commit of a row, which is counted no longer.
func (b *batch) takeBack(m mention) (event.Event, error) {
	b.counted[m.id] = 1
	if m.id >= b.first {
		return b.fresh[m.id-b.first], nil
	}
	r, err := b.row(m.id)
	if err != nil {
		return event.Event{}, err
	}
	return r.event(b.d.seal, b.tx.paths())
}

func (b *batch) row(id int64) (*row, error) {
	var r row
	err := b.tx.Each("SELECT "+rowColumns+" FROM events WHERE id = ?", []any{id}, r.scan)
	return &r, err
}

// flush writes what take has found fresh.
func (b *batch) flush() error {
	ids, err := b.d.fileIDs(b.tx, b.fresh)
	if err != nil {
		return err
	}
	var rows []any
	var touches []touch
	for i, e := range b.fresh {
		r := encodeRow(e, b.d.seal, ids.id)
		r.id, r.seq = b.first+int64(i), b.seq
		if _, back := b.counted[r.id]; back {
			r.counted = sql.NullInt64{Valid: true}
		}
		rows = append(rows, r.values()...)
		if c, ok := e.Body.(event.Commit); !ok || !c.Sweep() {
			touches = append(touches, touchesOf(r, e, ids.id)...)
		}
	}
	if err := b.uncount(); err != nil {
		return err
	}
	if err := b.tx.many("INSERT INTO events ("+rowColumns+") VALUES %s", 8, rows, nil); err != nil {
		return err
	}
	if err := insertTouches(b.tx, touches); err != nil {
		return err
	}
	if err := b.remember(); err != nil {
		return err
	}
	for _, e := range b.fresh {
		if r, ok := e.Body.(event.Rename); ok && (r.Past || e.Agent != gitAgent) { // git's others follow HEAD
			if err := recordRename(b.tx, e.Time.UnixMilli(), r, ids.id); err != nil {
				return err
			}
		}
	}
	return b.tx.run([]any{metaSeq, strconv.FormatInt(b.seq, 10)}, setMeta)
}

// uncount takes rows of earlier batches out of what is counted.
func (b *batch) uncount() error {
	for id, counted := range b.counted {
		if id >= b.first {
			continue
		}
		r, err := b.row(id)
		if err != nil {
			return err
		}
		files, err := filesOf(r.body)
		if err != nil { // whatever it touched: this reads the whole table
			err = b.tx.run([]any{counted, id}, "DELETE FROM touches WHERE counted = ? AND event = ?")
		}
		for _, f := range files {
			if err == nil {
				err = b.tx.run([]any{f, counted, id}, "DELETE FROM touches WHERE file = ? AND counted = ? AND event = ?")
			}
		}
		if err == nil {
			err = b.tx.run([]any{id}, "UPDATE events SET counted = 0 WHERE id = ?")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// remember notes the IDs of the batch.
func (b *batch) remember() error {
	var args []any
	for _, digest := range slices.Sorted(maps.Keys(b.state)) { // in the order of the table
		if id := b.state[digest].id; id >= b.first {
			args = append(args, digest, id)
		}
	}
	return b.tx.many("INSERT INTO ids (digest, event) VALUES %s ON CONFLICT (digest) DO UPDATE SET event = excluded.event",
		2, args, nil)
}

func moveCursor(tx *Tx, cursor map[string]string) error {
	for ref, sha := range cursor {
		query := "INSERT INTO cursor (ref, sha) VALUES (?1, ?2) ON CONFLICT (ref) DO UPDATE SET sha = ?2"
		if sha == "" {
			query = "DELETE FROM cursor WHERE ref = ?1 AND ?2 = ''"
		}
		if err := tx.run([]any{ref, sha}, query); err != nil {
			return err
		}
	}
	return nil
}

// Advance makes the next batch's number greater than seq. Nobody may append meanwhile.
func (d *DB) Advance(ctx context.Context, seq int64) (changed bool, err error) {
	if seq <= d.seq.Load() {
		return false, nil
	}
	err = d.Write(ctx, "number batches", func(tx *Tx) error {
		return tx.run([]any{metaSeq, strconv.FormatInt(seq, 10)},
			setMeta)
	})
	if err == nil {
		d.committed(seq)
	}
	return err == nil, err
}

// Cursor returns how far the import of the history has come: ref → sha.
func (d *DB) Cursor(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := d.Each(ctx, "SELECT ref, sha FROM cursor", nil, func(row Row) error {
		var ref, sha string
		err := row.Scan(&ref, &sha)
		out[ref] = sha
		return err
	})
	return out, err
}
