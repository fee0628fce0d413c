package cold

import (
	"context"
	"maps"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Append logs a batch of normalized events in one transaction. It returns the number of the batch
// and the events that were not known yet, in their order, as Replay will return them: without
// sealed texts.
//
// Known is an event whose ID was logged, pruned or forgotten before; a commit that is already
// counted; and an uncommit of a commit that is not counted. An uncommit is returned with the files,
// terms and times of the commit that it takes back. Events of other clones are in no totals, and
// only Replay and Peers return them. If no event is new, nothing is written and seq is the number
// of the last batch. An event that cannot be encoded is left out, so that it does not keep the
// others out.
func (d *DB) Append(ctx context.Context, events []event.Event) (seq int64, fresh []event.Event, err error) {
	return d.AppendCommits(ctx, events, nil)
}

// AppendCommits is like Append but also moves the cursor of the history import in the same
// transaction: for each ref, the sha of the last commit seen. Refs that are not in cursor stay; an
// empty sha deletes the ref.
func (d *DB) AppendCommits(ctx context.Context, events []event.Event,
	cursor map[string]string) (seq int64, fresh []event.Event, err error) {
	if len(events) == 0 && len(cursor) == 0 {
		return d.Last(), nil, nil
	}
	var b *batch
	err = d.Write(ctx, "append events", func(tx *Tx) error {
		if err := moveCursor(tx, cursor); err != nil {
			return err
		}
		b = &batch{tx: tx, d: d, first: d.Last() + 1, state: map[int64]mention{}, reversed: map[int64]event.Event{}}
		if err := b.take(events); err != nil || len(b.fresh) == 0 {
			return err
		}
		return b.flush()
	})
	if err != nil || len(b.fresh) == 0 {
		return d.Last(), nil, err
	}
	d.committed(b.last())
	for i, e := range b.fresh {
		switch e.Kind() {
		case event.KindRename, event.KindCommit, event.KindUncommit:
			d.version.Add(1)
		}
		b.fresh[i] = e.WithoutText()
	}
	return b.last(), b.fresh, nil
}

// batch is the state of one Append: take decides for each event whether it is new, flush writes the
// new ones.
type batch struct {
	tx    *Tx
	d     *DB
	first int64         // the id in events of fresh[0]
	fresh []event.Event // new events, to be written
	rows  []*row        // the rows of fresh
	// state maps the digest of an event in the batch to the newest row about it, if the log has
	// one.
	state map[int64]mention
	// By events.id: a commit or uncommit that the batch takes back.
	reversed map[int64]event.Event
}

// mention is the newest row about an event. It is 0 if that row was pruned or forgotten.
type mention struct {
	id      int64
	counted int64 // value of this column; 0 for NULL
}

// last returns the number of the batch, which is the id of its last event.
func (b *batch) last() int64 { return b.first + int64(len(b.fresh)) - 1 }

func (b *batch) take(events []event.Event) error {
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
		e.Time = moment(e.Time.UnixMilli())
		digest := digests[i].(int64)
		m, known := b.state[digest]
		commit, uncommit := countedOf(e) == 1, countedOf(e) == -1
		switch {
		case commit && m.counted == 1, uncommit && m.counted != 1, known && !commit && !uncommit:
			continue
		case commit && m.counted == -1, uncommit:
			before, err := b.reverse(m.id)
			if uncommit && b.tx.f.bad.skip(err) {
				b.state[digest] = mention{id: m.id}
				continue // Replay leaves this commit out as well
			}
			if err != nil && !b.tx.f.bad.skip(err) {
				return err
			}
			if c, ok := before.Body.(event.Commit); ok && uncommit {
				before.ID, before.Body = e.ID, event.Uncommit(c)
				e = before
			}
		}
		r, err := encodeRow(e, b.d.seal)
		if b.tx.f.bad.skip(err) {
			continue
		}
		b.fresh, b.rows = append(b.fresh, e), append(b.rows, r)
		b.state[digest] = mention{id: b.last(), counted: countedOf(e)}
	}
	return nil
}

// reverse marks the event of a row as no longer counted, and returns it.
func (b *batch) reverse(id int64) (e event.Event, err error) {
	if id >= b.first {
		e = b.fresh[id-b.first]
	} else {
		var r row
		if err = b.tx.Each("SELECT "+rowColumns+" FROM events WHERE id = ?", []any{id}, r.scan); err == nil {
			e, err = r.folded()
		}
	}
	b.reversed[id] = e
	return e, err
}

// flush writes the events that take found to be new.
func (b *batch) flush() error {
	if err := b.uncount(); err != nil {
		return err
	}
	ids, err := b.d.fileIDs(b.tx, b.fresh)
	if err != nil {
		return err
	}
	var rows []any
	var touches []touch
	for i, e := range b.fresh {
		r := b.rows[i]
		r.id, r.seq = b.first+int64(i), b.last()
		if _, reversed := b.reversed[r.id]; reversed {
			r.counted.Int64 = 0
		}
		rows = append(rows, r.values()...)
		touches = append(touches, touchesOf(r, e, ids)...)
	}
	if err := b.tx.many("INSERT INTO events ("+rowColumns+") VALUES %s", rowWidth, rows, nil); err != nil {
		return err
	}
	if err := insertTouches(b.tx, touches); err != nil {
		return err
	}
	for _, e := range b.fresh {
		// git's renames that follow a move of HEAD are not recorded.
		if r, ok := e.Body.(event.Rename); ok && (r.Past || e.Agent != "git") && e.Origin == "" {
			if err := recordRename(b.tx, e.Time.UnixMilli(), r, ids); err != nil {
				return err
			}
		}
	}
	var args []any
	for _, digest := range slices.Sorted(maps.Keys(b.state)) { // in the order of the table
		if id := b.state[digest].id; id >= b.first {
			args = append(args, digest, id)
		}
	}
	return b.tx.many("INSERT INTO ids (digest, event) VALUES %s ON CONFLICT (digest) DO UPDATE SET event = excluded.event",
		2, args, nil)
}

// uncount marks rows of earlier batches as no longer counted.
func (b *batch) uncount() error {
	for id, e := range b.reversed {
		if id >= b.first {
			continue
		}
		touched := touchedBy(e)
		if len(touched) == 0 { // the body could not be read, so this has to read the whole table
			if err := b.tx.run([]any{id}, "DELETE FROM touches WHERE event = ?"); err != nil {
				return err
			}
		}
		for _, p := range touched {
			err := b.tx.run([]any{string(p), countedOf(e), id},
				"DELETE FROM touches WHERE file = (SELECT id FROM files WHERE file = ?) AND counted = ? AND event = ?")
			if err != nil {
				return err
			}
		}
		if err := b.tx.run([]any{id}, "UPDATE events SET counted = 0 WHERE id = ?"); err != nil {
			return err
		}
	}
	return nil
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

// Cursor returns how far the history import has come: for each ref, the sha of the last commit
// seen.
func (d *DB) Cursor(ctx context.Context) (map[string]string, error) {
	return pairs[string, string](ctx, d.File, "SELECT ref, sha FROM cursor")
}
