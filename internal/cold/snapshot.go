package cold

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Record is one packed record of the hot store. Data is opaque here; empty Data deletes the key.
type Record struct {
	Key  string
	Data []byte
}

// chunk is how many records LoadSnapshot hands over at a time.
const chunk = 4096

// SaveSnapshot keeps the records as the state after batch seq, in one transaction. With full they replace
// all that was there, else only the records with the same keys. Of several with one key the last counts.
func (d *DB) SaveSnapshot(ctx context.Context, seq int64, recs []Record, full bool) error {
	recs = ordered(recs)
	return d.write(ctx, "save snapshot", func(w writing) error {
		var any bool
		if _, err := w.Scan("any_record", nil, &any); err != nil {
			return err
		}
		save := w.saveChanges
		if full || !any {
			save = w.saveBlocks
		}
		if err := save(recs); err != nil {
			return err
		}
		return w.run("set_meta", metaSnapshot, strconv.FormatInt(seq, 10))
	})
}

// ordered puts the records in the order of their keys, the last of each.
func ordered(recs []Record) []Record {
	recs = slices.Clone(recs)
	slices.SortStableFunc(recs, func(x, y Record) int { return strings.Compare(x.Key, y.Key) })
	kept := recs[:0]
	for i, r := range recs {
		if i+1 == len(recs) || recs[i+1].Key != r.Key {
			kept = append(kept, r)
		}
	}
	return kept
}

func (w writing) clearRecords() error {
	if err := w.run("clear_snapshot"); err != nil {
		return err
	}
	return w.run("clear_blocks")
}

// clearSnapshot leaves no snapshot: the next start replays the whole log.
func (w writing) clearSnapshot() error {
	if err := w.clearRecords(); err != nil {
		return err
	}
	return w.run("set_meta", metaSnapshot, "0")
}

// saveBlocks makes the records, in order, the whole snapshot.
func (w writing) saveBlocks(recs []Record) error {
	if err := w.clearRecords(); err != nil {
		return err
	}
	var b block
	for _, r := range recs {
		if len(r.Data) == 0 {
			continue
		}
		if b.add(r); len(b.data) >= blockSize {
			if err := w.run("add_block", b.first, b.data); err != nil {
				return err
			}
			b = block{data: b.data[:0]}
		}
	}
	if len(b.data) == 0 {
		return nil
	}
	return w.run("add_block", b.first, b.data)
}

// saveChanges puts the records, in order, over what is there. What is gone stays as an empty row where a block has it.
func (w writing) saveChanges(recs []Record) error {
	args := make([]any, 0, 2*len(recs))
	for _, r := range recs {
		if len(r.Data) == 0 {
			inside, err := w.inBlock(r.Key)
			if err != nil {
				return err
			}
			if !inside {
				if err := w.run("delete_record", r.Key); err != nil {
					return err
				}
				continue
			}
			r.Data = []byte{}
		}
		args = append(args, r.Key, r.Data)
	}
	return w.insertRows("INSERT OR REPLACE INTO snapshot (key, data)", 2, args)
}

// inBlock reports whether a block has a record of that key.
func (w writing) inBlock(key string) (bool, error) {
	var data []byte
	if found, err := w.Scan("block_of", []any{key}, &data); !found || err != nil {
		return false, err
	}
	for r := range recordsOf(data) {
		if r.Key == key {
			return true, nil
		}
	}
	return false, nil
}

// LoadSnapshot calls fn with the records of the last snapshot, 4096 at a time, and returns the number of the
// last batch inside it: 0 and no call if there is none. fn owns the records and may use the store.
func (d *DB) LoadSnapshot(ctx context.Context, fn func([]Record) error) (seq int64, err error) {
	tx, err := d.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // the number and the records of one moment
	if err != nil {
		return 0, d.explain("load snapshot", err)
	}
	defer tx.Rollback() //nolint:errcheck // reading only
	var v string
	err = tx.QueryRowContext(ctx, d.query("meta"), metaSnapshot).Scan(&v)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, d.explain("load snapshot", err)
	}
	if seq, err = parseSeq(v); err != nil && !d.bad.skip(err) {
		return 0, err
	}
	stopped, err := d.readRecords(ctx, tx, fn)
	if err != nil && !stopped {
		err = d.explain("load snapshot", err)
	}
	if err != nil {
		return 0, err
	}
	return seq, nil
}

// readRecords streams the blocks and what has changed since, in the order of the keys; stopped says that the error is
// fn's.
func (d *DB) readRecords(ctx context.Context, tx *sql.Tx, fn func([]Record) error) (stopped bool, err error) {
	changed, err := tx.QueryContext(ctx, d.query("snapshot"))
	if err != nil {
		return false, err
	}
	defer changed.Close()
	blocks, err := tx.QueryContext(ctx, d.query("blocks"))
	if err != nil {
		return false, err
	}
	defer blocks.Close()
	to := handing{fn: fn}
	over := overlay{rows: changed}
	over.next()
	for to.err == nil && blocks.Next() {
		var data []byte
		if err := blocks.Scan(&data); err != nil {
			return false, err
		}
		for r := range recordsOf(data) {
			for ; over.ok && over.at.Key < r.Key; over.next() {
				to.add(over.at)
			}
			if over.ok && over.at.Key == r.Key {
				r = over.at
				over.next()
			}
			to.add(r)
		}
	}
	for ; to.err == nil && over.ok; over.next() {
		to.add(over.at)
	}
	if err := errors.Join(over.err, blocks.Err()); err != nil && to.err == nil {
		return false, err
	}
	to.flush()
	return to.err != nil, to.err
}

// handing hands records over, a chunk at a time, until fn fails.
type handing struct {
	fn   func([]Record) error
	recs []Record
	err  error // fn's
}

func (h *handing) add(r Record) {
	if h.err != nil || len(r.Data) == 0 {
		return // empty: gone since the block was written
	}
	if h.recs == nil {
		h.recs = make([]Record, 0, chunk)
	}
	if h.recs = append(h.recs, r); len(h.recs) == chunk {
		h.flush()
	}
}

func (h *handing) flush() {
	if h.err == nil && len(h.recs) > 0 {
		h.err, h.recs = h.fn(h.recs), nil
	}
}

// overlay reads the rows of what has changed since the blocks were written.
type overlay struct {
	rows *sql.Rows
	at   Record
	ok   bool // at is one
	err  error
}

func (o *overlay) next() {
	if o.ok = o.rows.Next(); !o.ok {
		o.err = o.rows.Err()
		return
	}
	o.at = Record{}
	o.err = o.rows.Scan(&o.at.Key, &o.at.Data)
	o.ok = o.err == nil
}

// SnapshotSeq is the number of the last batch inside the snapshot, 0 if there is none.
func (d *DB) SnapshotSeq(ctx context.Context) (int64, error) {
	v, err := d.Meta(ctx, metaSnapshot)
	if err != nil {
		return 0, err
	}
	seq, err := parseSeq(v)
	if d.bad.skip(err) {
		return 0, nil
	}
	return seq, err
}
