package cold

import (
	"context"
	"database/sql"
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
// all that was there, else only the records with the same keys. No two have one key.
func (d *DB) SaveSnapshot(ctx context.Context, seq int64, recs []Record, full bool) error {
	recs = slices.Clone(recs)
	slices.SortFunc(recs, func(x, y Record) int { return strings.Compare(x.Key, y.Key) }) // as the table has them
	return d.Write(ctx, "save snapshot", func(tx *Tx) error {
		var had string
		if _, err := tx.Scan(selectMeta, []any{metaSnapshot}, &had); err != nil {
			return err
		}
		save := saveChanges
		if full || had == "" || had == "0" { // the first one
			save = saveBlocks
		}
		if err := save(tx, recs); err != nil {
			return err
		}
		return tx.run([]any{metaSnapshot, strconv.FormatInt(seq, 10)}, setMeta)
	})
}

// clearSnapshot leaves no snapshot: the next start replays the whole log.
func clearSnapshot(tx *Tx) error {
	if err := tx.run(nil, clearRecords...); err != nil {
		return err
	}
	return tx.run([]any{metaSnapshot, "0"}, setMeta)
}

var clearRecords = []string{"DELETE FROM snapshot", "DELETE FROM snapshot_block"}

// saveBlocks makes the records the whole snapshot.
func saveBlocks(tx *Tx, recs []Record) error {
	if err := tx.run(nil, clearRecords...); err != nil {
		return err
	}
	var block []byte
	for i, r := range recs {
		if len(r.Data) > 0 {
			block = appendRecord(block, r)
		}
		if len(block) >= blockSize || i == len(recs)-1 && len(block) > 0 {
			if err := tx.run([]any{block}, "INSERT INTO snapshot_block (data) VALUES (?)"); err != nil {
				return err
			}
			block = block[:0]
		}
	}
	return nil
}

// saveChanges puts the records over what is there. What is gone stays as an empty row until the next full snapshot.
func saveChanges(tx *Tx, recs []Record) error {
	args := make([]any, 0, 2*len(recs))
	for _, r := range recs {
		args = append(args, r.Key, append([]byte{}, r.Data...))
	}
	return tx.many("INSERT OR REPLACE INTO snapshot (key, data) VALUES %s", 2, args, nil)
}

// LoadSnapshot calls fn with the records of the last snapshot, 4096 at a time, and returns the number of the last
// batch inside it: 0 and no call if there is none. They come in no order. fn owns the records and may use the store.
func (d *DB) LoadSnapshot(ctx context.Context, fn func([]Record) error) (seq int64, err error) {
	tx, err := d.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // the number and the records of one moment
	if err != nil {
		return 0, d.explain("load snapshot", err)
	}
	defer tx.Rollback() // reading only
	var v string
	if _, err = d.scan(ctx, tx, selectMeta, []any{metaSnapshot}, []any{&v}); err != nil {
		return 0, d.explain("load snapshot", err)
	}
	if seq, err = parseSeq(v); err != nil && !d.bad.skip(err) {
		return 0, err
	}
	to := handing{fn: fn}
	if err := d.readRecords(ctx, tx, &to); err != nil {
		return 0, d.explain("load snapshot", err)
	}
	return seq, to.err
}

// readRecords hands over what has changed since the blocks were written, then all else.
func (d *DB) readRecords(ctx context.Context, tx *sql.Tx, to *handing) error {
	changed := map[string]bool{}
	err := d.each(ctx, tx, "SELECT key, data FROM snapshot", nil, func(row Row) error {
		var r Record
		err := row.Scan(&r.Key, &r.Data)
		if err == nil {
			changed[r.Key] = true
			to.add(r)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = d.each(ctx, tx, "SELECT data FROM snapshot_block", nil, func(row Row) error {
		var data []byte
		err := row.Scan(&data)
		for r := range recordsOf(data) {
			if !changed[r.Key] {
				to.add(r)
			}
		}
		return err
	})
	to.flush()
	return err
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
