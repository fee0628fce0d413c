package cold

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Names of facts in the table meta that belong to this package.
const (
	metaSeq      = "seq"          // number of the last batch
	metaSnapshot = "snapshot_seq" // number of the last batch inside the snapshot
)

// Append logs a batch in one transaction and returns its number and the events that were not known yet, in
// their order, in the form in which Replay will return them. Known is an event whose ID was logged, pruned or
// forgotten before; a commit that is counted; an uncommit of a commit that is not. An uncommit comes back with
// the files, terms and times of the commit that it takes back. If nothing is fresh, nothing is written and seq
// is the number of the last batch.
func (d *DB) Append(ctx context.Context, events []event.Event) (seq int64, fresh []event.Event, err error) {
	return d.AppendCommits(ctx, events, nil)
}

// AppendCommits is Append that moves the cursor of the history import in the same transaction: ref → sha of
// the last commit seen. Refs that are not named stay; an empty sha drops the ref.
func (d *DB) AppendCommits(ctx context.Context, events []event.Event, cursor map[string]string) (seq int64, fresh []event.Event, err error) {
	if len(events) == 0 && len(cursor) == 0 {
		return d.seq.Load(), nil, nil
	}
	renames, counts := false, false
	err = d.write(ctx, "append events", func(w writing) error {
		seq, fresh = d.seq.Load(), nil
		if err := w.moveCursor(cursor); err != nil {
			return err
		}
		b, err := w.newBatch(seq + 1)
		if err != nil {
			return err
		}
		if err := b.take(events); err != nil {
			return err
		}
		if len(b.fresh) == 0 {
			return nil
		}
		seq, fresh, renames = b.seq, b.fresh, len(b.renames) > 0
		counts = slices.ContainsFunc(fresh, func(e event.Event) bool { return e.Kind == event.KindCommit || e.Kind == event.KindUncommit })
		return b.flush()
	})
	if err != nil {
		return 0, nil, err
	}
	d.seq.Store(seq)
	if renames {
		d.renamed.Add(1)
	}
	if renames || counts {
		d.counted.Add(1)
	}
	return seq, fresh, nil
}

// Advance makes the next batch's number greater than seq. Nobody may append meanwhile.
func (d *DB) Advance(ctx context.Context, seq int64) (changed bool, err error) {
	if seq <= d.seq.Load() {
		return false, nil
	}
	err = d.write(ctx, "number batches", func(w writing) error {
		return w.run("set_meta", metaSeq, strconv.FormatInt(seq, 10))
	})
	if err == nil {
		d.seq.Store(seq)
	}
	return err == nil, err
}

func (w writing) moveCursor(cursor map[string]string) error {
	for ref, sha := range cursor {
		var err error
		if sha == "" {
			err = w.run("delete_cursor", ref)
		} else {
			err = w.run("set_cursor", ref, sha)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Cursor returns how far the import of the history has come: ref → sha.
func (d *DB) Cursor(ctx context.Context) (map[string]string, error) {
	rows, err := d.rows(ctx, "cursor")
	if err != nil {
		return nil, d.explain("read cursor", err)
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var ref, sha string
		if err := rows.Scan(&ref, &sha); err != nil {
			return nil, d.explain("read cursor", err)
		}
		out[ref] = sha
	}
	return out, d.explain("read cursor", rows.Err())
}

// batch is one Append under way.
type batch struct {
	writing
	seq     int64
	fresh   []event.Event
	event   int64 // last id of intent_log
	names   *names
	hops    hops // every rename known, the batch's own included; shared with DB
	renames []event.Event
	known   map[string]bool // IDs that intent_log has, of the events of this batch
	rows    []any           // of intent_log, to be inserted
	touches [][2]int64      // file, event
	tally   *tally
	claims  *claims
}

func (w writing) newBatch(seq int64) (*batch, error) {
	b := &batch{writing: w, seq: seq, names: newNames(w), tally: newTally(), claims: newClaims()}
	_, err := w.Scan("last_event", nil, &b.event)
	return b, err
}

// take decides event by event what is fresh. Everything is written at flush.
func (b *batch) take(events []event.Event) error {
	if err := b.claims.load(b.writing, events); err != nil {
		return err
	}
	if err := b.recognise(events); err != nil {
		return err
	}
	for _, e := range events {
		e = canonical(e)
		var err error
		switch e.Kind {
		case event.KindCommit:
			err = b.commit(e)
		case event.KindUncommit:
			err = b.uncommit(e)
		default:
			err = b.log(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recognise asks which IDs the log has.
func (b *batch) recognise(events []event.Event) error {
	b.known = map[string]bool{}
	var ids []any
	for _, e := range events {
		if e.Kind != event.KindCommit && e.Kind != event.KindUncommit {
			ids = append(ids, e.ID)
		}
	}
	return b.many(b.query("known_events"), 1, ids, func(rows Row) error {
		var id string
		err := rows.Scan(&id)
		b.known[id] = true
		return err
	})
}

// log enters an event into intent_log unless its ID is known.
func (b *batch) log(e event.Event) error {
	if b.d.anyGone.Load() {
		var one int
		found, err := b.Scan("is_gone", []any{digest(e.ID)}, &one)
		if found || err != nil {
			return err
		}
	}
	r, err := encode(e, b.d.seal)
	if err != nil {
		return err
	}
	if b.known[r.id] {
		return nil
	}
	b.known[r.id] = true
	b.event++
	b.rows = append(b.rows, b.event, b.seq, len(b.fresh), r.id, r.at, r.kind, r.agent, r.session, r.tool, r.files, r.tags, r.rest, r.raw, r.sealed)
	b.fresh = append(b.fresh, e)
	if e.Kind == event.KindRename {
		b.renames = append(b.renames, e)
	}
	return b.count(e)
}

// count notes what the event adds to the statistics and to the index by file.
func (b *batch) count(e event.Event) error {
	files, err := b.names.ids(e.Paths)
	if err != nil {
		return err
	}
	from, err := b.names.ids(e.From)
	if err != nil {
		return err
	}
	gone, err := b.names.ids(e.Gone)
	if err != nil {
		return err
	}
	for _, id := range slices.Concat(files, from, gone) {
		b.touches = append(b.touches, [2]int64{id, b.event})
	}
	b.tally.add(e, files, 1)
	return nil
}

// flush writes what take collected. Renames come first: accesses of the time before a rename are counted under
// the new name, whichever of the two was told first.
func (b *batch) flush() error {
	err := b.insertRows("INSERT INTO intent_log (id, batch, pos, event_id, timestamp, kind, agent, session_id, tool, files, tags, rest, raw, sealed)",
		14, b.rows)
	if err != nil {
		return err
	}
	if len(b.renames) > 0 || !b.tally.empty() {
		if b.hops, err = b.loadHops(); err != nil {
			return err
		}
	}
	for _, e := range b.renames {
		if err := b.rename(e); err != nil {
			return err
		}
	}
	slices.SortFunc(b.touches, func(x, y [2]int64) int { return slices.Compare(x[:], y[:]) })
	args := make([]any, 0, 2*len(b.touches))
	for _, t := range slices.Compact(b.touches) {
		args = append(args, t[0], t[1])
	}
	if err := b.insertRows("INSERT INTO touches (file, event)", 2, args); err != nil {
		return err
	}
	if err := b.tally.flush(b.writing, b.hops); err != nil {
		return err
	}
	if err := b.claims.flush(b); err != nil {
		return err
	}
	return b.run("set_meta", metaSeq, strconv.FormatInt(b.seq, 10))
}

// digest is the trace that a forgotten event leaves: enough to recognise its ID, too little to tell it.
func digest(id string) int64 {
	sum := sha256.Sum256([]byte(id))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// names turns paths into their short names in the database and back, asking once per path.
type names struct {
	writing
	id   map[event.Path]int64
	path map[int64]event.Path
}

func newNames(w writing) *names {
	return &names{writing: w, id: map[event.Path]int64{}, path: map[int64]event.Path{}}
}

// ids returns the short names, giving one to every path that has none.
func (n *names) ids(paths []event.Path) ([]int64, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	out := make([]int64, len(paths))
	for i, p := range paths {
		id, ok := n.id[p]
		if !ok {
			var err error
			if id, err = n.ask(p); err != nil {
				return nil, err
			}
			n.id[p], n.path[id] = id, p
		}
		out[i] = id
	}
	return out, nil
}

func (n *names) ask(p event.Path) (id int64, err error) {
	if id, ok := n.d.ids[p]; ok {
		return id, nil
	}
	found, err := n.Scan("file_id", []any{string(p)}, &id)
	if err != nil {
		return 0, err
	}
	if !found {
		res, err := n.Exec("insert_file", string(p))
		if err != nil {
			return 0, err
		}
		if id, err = res.LastInsertId(); err != nil {
			return 0, err
		}
	}
	if n.d.ids == nil || len(n.d.ids) >= maxIDs {
		n.d.ids = map[event.Path]int64{}
	}
	n.d.ids[event.Path(strings.Clone(string(p)))] = id // it may be a part of something large
	return id, nil
}

// maxIDs bounds the short names that are kept in memory: the files that one works on.
const maxIDs = 4096

// name is the inverse of ids for one file.
func (n *names) name(id int64) (event.Path, error) {
	if p, ok := n.path[id]; ok {
		return p, nil
	}
	var p string
	found, err := n.Scan("file_name", []any{id}, &p)
	if err == nil && !found {
		err = missingFile(id)
	}
	if err != nil {
		return "", err
	}
	n.path[id] = event.Path(p)
	return event.Path(p), nil
}

// Meta returns a small fact, "" if it was never set.
func (d *DB) Meta(ctx context.Context, key string) (string, error) {
	var v string
	err := d.row(ctx, "meta", key).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return v, d.explain("read meta", err)
}

// SetMeta keeps a small fact, such as the id of the repository. The keys seq, snapshot_seq and calendar are the store's
// own.
func (d *DB) SetMeta(ctx context.Context, key, value string) error {
	if key == metaSeq || key == metaSnapshot || key == metaCalendar {
		return errors.New("set meta: " + key + " belongs to the store: choose another key")
	}
	return d.write(ctx, "set meta", func(w writing) error { return w.run("set_meta", key, value) })
}
