package cold

import (
	"context"
	"fmt"
	"time"
)

// Undo is what files were before a replay edited them. It is no cached thing: it lies in the log's file.
type Undo struct {
	ID   string
	At   time.Time
	Done bool   // the files are put back
	Data []byte // contents of the files, opaque here
}

// Statements.
const (
	sqlAddUndo   = "INSERT INTO undos (id, at, done, data) VALUES (?1, ?2, 0, ?3)"
	sqlTrimUndos = "DELETE FROM undos WHERE rowid NOT IN (SELECT rowid FROM undos ORDER BY rowid DESC LIMIT ?)"
	sqlFindUndo  = `SELECT id, at, done, data FROM undos WHERE id = ?1 OR ?1 = '' AND done = 0 ORDER BY rowid DESC LIMIT 1`
)

// AddUndo keeps a record, and of all records the newest few.
func (d *DB) AddUndo(ctx context.Context, u Undo, keep int) error {
	data := d.seal.Seal(undoOf(u.ID), pack(u.Data))
	return d.Write(ctx, "write an undo record", func(tx *Tx) error {
		if err := tx.run([]any{u.ID, u.At.UnixMilli(), data}, sqlAddUndo); err != nil {
			return err
		}
		return tx.run([]any{keep}, sqlTrimUndos)
	})
}

// FindUndo returns the record of an id, or, of "", the newest that is not done. One that cannot be read is ErrRow, or
// ErrLostKey.
func (d *DB) FindUndo(ctx context.Context, id string) (u Undo, found bool, err error) {
	var at int64
	var data []byte
	found, err = d.Scan(ctx, sqlFindUndo, []any{id}, &u.ID, &at, &u.Done, &data)
	if err != nil || !found {
		return u, found, err
	}
	u.At = time.UnixMilli(at).UTC()
	packed, err := d.seal.Open(undoOf(u.ID), data)
	if err == nil {
		u.Data, err = unpack(packed, maxBlob)
	}
	if err != nil {
		d.bad.skip(err)
		return u, true, fmt.Errorf("undo record %s: %w", u.ID, err)
	}
	return u, true, nil
}

// MarkUndo notes that the files of a record are put back.
func (d *DB) MarkUndo(ctx context.Context, id string) error {
	return d.Write(ctx, "mark an undo record", func(tx *Tx) error {
		return tx.run([]any{id}, "UPDATE undos SET done = 1 WHERE id = ?1")
	})
}

// DropUndos deletes all records.
func (d *DB) DropUndos(ctx context.Context) error {
	return d.Write(ctx, "drop undo records", func(tx *Tx) error { return tx.run(nil, "DELETE FROM undos") })
}

// undoOf is what the contents of a record belong to.
func undoOf(id string) string { return "undo " + id }
