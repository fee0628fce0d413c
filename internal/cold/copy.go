package cold

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/aoa-dev/aoa/internal/atomicfile"
)

// A copy of the log is made once a day, in the same folder. A damaged log is restored from it.
const (
	copySuffix = ".copy"
	partSuffix = ".copy.part" // one that is being made
)

// Copy makes the copy of the log: a whole database (VACUUM INTO), checked and synced before it
// takes the place of the one before. Nothing is done if no batch was logged since. Others read and
// write meanwhile. The copy has nothing that was forgotten: Forget calls it off.
func (d *DB) Copy(ctx context.Context) (made bool, err error) {
	d.copying.Lock()
	defer d.copying.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d.callOff.Store(&cancel)
	seq, path := strconv.FormatInt(d.Last(), 10), d.path+copySuffix
	copied, err := d.Meta(ctx, metaCopied)
	if err != nil || d.Last() == 0 || copied == seq && exists(path) {
		return false, err
	}
	if err := d.copyTo(ctx, d.path+partSuffix, path); err != nil {
		_ = os.Remove(d.path + partSuffix) // the error that matters is the first
		return false, fmt.Errorf("copy the log: %w", cmp.Or(ctx.Err(), err))
	}
	err = d.Write(ctx, "note the copy", func(tx *Tx) error { return tx.run([]any{metaCopied, seq}, setMeta) })
	return true, errors.Join(err, d.checkpoint())
}

// HasCopy reports whether there is a copy.
func (d *DB) HasCopy() bool { return exists(d.path + copySuffix) }

// copyTo makes the copy as part, and renames it.
func (d *DB) copyTo(ctx context.Context, part, path string) error {
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // SQLite takes an empty file, with its mode
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	// data and settings, and files that a tool or another project wrote
	if err := onDatabase(d.path, func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, "VACUUM INTO ?", part)
		return err
	}); err != nil {
		return explain("read", d.path, classify(err), err)
	}
	if err := onDatabase(part, func(db *sql.DB) error { return verdict(ctx, db, "PRAGMA quick_check(1)") }); err != nil {
		return fmt.Errorf("the copy is not whole: %w", err)
	}
	return atomicfile.Rename(part, path)
}

// onDatabase calls fn with a connection of its own.
func onDatabase(path string, fn func(*sql.DB) error) error {
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return err
	}
	return errors.Join(fn(db), db.Close())
}

// checkpoint puts the write-ahead log into the file, as far as readers let it: a file that loses
// its write-ahead log is then not older than its copy.
func (d *DB) checkpoint() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := d.conn.ExecContext(background, "PRAGMA wal_checkpoint(PASSIVE)")
	return d.explain("checkpoint", err)
}

// dropCopy calls off a copy that is being made, deletes what there is, and keeps others from being
// made until unlock is called.
func (d *DB) dropCopy() (unlock func(), err error) {
	if cancel := d.callOff.Load(); cancel != nil {
		(*cancel)()
	}
	d.copying.Lock()
	for _, suffix := range []string{copySuffix, partSuffix} {
		if rerr := os.Remove(d.path + suffix); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("delete the copy of the log: %w", rerr))
		}
	}
	return d.copying.Unlock, err
}
