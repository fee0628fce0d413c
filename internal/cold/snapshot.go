package cold

import (
	"bytes"
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
// all that was there, else only the records with the same keys.
func (d *DB) SaveSnapshot(ctx context.Context, seq int64, recs []Record, full bool) error {
	recs = slices.Clone(recs)
	byKey := func(x, y Record) int { return strings.Compare(x.Key, y.Key) }
	if !slices.IsSortedFunc(recs, byKey) {
		slices.SortStableFunc(recs, byKey)
	}
	return d.write(ctx, "save snapshot", func(w writing) error {
		if full {
			if err := w.run("clear_snapshot"); err != nil {
				return err
			}
		}
		args := make([]any, 0, 2*len(recs))
		for i, r := range recs {
			switch {
			case i+1 < len(recs) && recs[i+1].Key == r.Key:
				// The last of several records with one key counts.
			case len(r.Data) > 0:
				args = append(args, r.Key, r.Data)
			case !full:
				if err := w.run("delete_record", r.Key); err != nil {
					return err
				}
			}
		}
		if err := w.insertRows("INSERT OR REPLACE INTO snapshot (key, data)", 2, args); err != nil {
			return err
		}
		return w.run("set_meta", metaSnapshot, strconv.FormatInt(seq, 10))
	})
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
	if seq, err = parseSeq(v); err != nil {
		return 0, d.explain("load snapshot", err)
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

// readRecords streams the table; stopped says that the error is fn's.
func (d *DB) readRecords(ctx context.Context, tx *sql.Tx, fn func([]Record) error) (stopped bool, err error) {
	rows, err := tx.QueryContext(ctx, d.query("snapshot"))
	if err != nil {
		return false, err
	}
	defer rows.Close()
	recs := make([]Record, 0, chunk)
	for rows.Next() {
		var r Record
		var data sql.RawBytes // one copy less than []byte
		if err := rows.Scan(&r.Key, &data); err != nil {
			return false, err
		}
		r.Data = bytes.Clone(data)
		if recs = append(recs, r); len(recs) == chunk {
			if err := fn(recs); err != nil {
				return true, err
			}
			recs = make([]Record, 0, chunk)
		}
	}
	if err := rows.Err(); err != nil || len(recs) == 0 {
		return false, err
	}
	err = fn(recs)
	return err != nil, err
}

// SnapshotSeq is the number of the last batch inside the snapshot, 0 if there is none.
func (d *DB) SnapshotSeq(ctx context.Context) (int64, error) {
	v, err := d.Meta(ctx, metaSnapshot)
	if err != nil {
		return 0, err
	}
	seq, err := parseSeq(v)
	return seq, d.explain("read snapshot", err)
}
