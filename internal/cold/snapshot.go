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
	return d.Write(ctx, "save snapshot", func(tx *Tx) error {
		var some bool
		if _, err := tx.Scan("SELECT EXISTS (SELECT 1 FROM snapshot) OR EXISTS (SELECT 1 FROM snapshot_block)", nil, &some); err != nil {
			return err
		}
		save := saveChanges
		if full || !some {
			save = saveBlocks
		}
		if err := save(tx, recs); err != nil {
			return err
		}
		return tx.run([]any{metaSnapshot, strconv.FormatInt(seq, 10)}, setMeta)
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

// clearSnapshot leaves no snapshot: the next start replays the whole log.
func clearSnapshot(tx *Tx) error {
	if err := tx.run(nil, clearRecords...); err != nil {
		return err
	}
	return tx.run([]any{metaSnapshot, "0"}, setMeta)
}

var clearRecords = []string{"DELETE FROM snapshot", "DELETE FROM snapshot_block"}

const addBlock = "INSERT INTO snapshot_block (first, data) VALUES (?, ?)"

// saveBlocks makes the records, in order, the whole snapshot.
func saveBlocks(tx *Tx, recs []Record) error {
	if err := tx.run(nil, clearRecords...); err != nil {
		return err
	}
	var b block
	for _, r := range recs {
		if len(r.Data) == 0 {
			continue
		}
		if b.add(r); len(b.data) >= blockSize {
			if err := tx.run([]any{b.first, b.data}, addBlock); err != nil {
				return err
			}
			b = block{data: b.data[:0]}
		}
	}
	if len(b.data) == 0 {
		return nil
	}
	return tx.run([]any{b.first, b.data}, addBlock)
}

// saveChanges puts the records, in order, over what is there. What is gone stays as an empty row where a block has it.
func saveChanges(tx *Tx, recs []Record) error {
	args := make([]any, 0, 2*len(recs))
	for _, r := range recs {
		if len(r.Data) == 0 {
			inside, err := inBlock(tx, r.Key)
			if err != nil {
				return err
			}
			if !inside {
				if err := tx.run([]any{r.Key}, "DELETE FROM snapshot WHERE key = ?"); err != nil {
					return err
				}
				continue
			}
			r.Data = []byte{}
		}
		args = append(args, r.Key, r.Data)
	}
	return tx.many("INSERT OR REPLACE INTO snapshot (key, data) VALUES %s", 2, args, nil)
}

// inBlock reports whether a block has a record of that key.
func inBlock(tx *Tx, key string) (bool, error) {
	var data []byte
	found, err := tx.Scan("SELECT data FROM snapshot_block WHERE first <= ? ORDER BY first DESC LIMIT 1", []any{key}, &data)
	if !found || err != nil {
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
	if _, err = d.scan(ctx, tx, selectMeta, []any{metaSnapshot}, []any{&v}); err != nil {
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
	changed, err := tx.QueryContext(ctx, "SELECT key, data FROM snapshot ORDER BY key")
	if err != nil {
		return false, err
	}
	defer changed.Close()
	blocks, err := tx.QueryContext(ctx, "SELECT data FROM snapshot_block ORDER BY first")
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
