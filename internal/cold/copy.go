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

// A copy of the log is made once a day in the same folder. If the log is damaged, it is restored
// from the copy.
const (
	copySuffix = ".copy"
	partSuffix = ".copy.part" // a copy that is being made
)

// Copy makes the daily copy of the log: a whole database (VACUUM INTO), which is checked and synced
// before it replaces the previous copy. If no batch was logged since then, nothing is done. Others
// can read and write meanwhile. Forget cancels a copy that is being made, so that the copy contains
// nothing that was forgotten.
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
		_ = os.Remove(d.path + partSuffix) // the first error is the one that matters
		return false, fmt.Errorf("copy the log: %w", cmp.Or(ctx.Err(), err))
	}
	err = d.Write(ctx, "note the copy", func(tx *Tx) error { return tx.run([]any{metaCopied, seq}, setMeta) })
	return true, errors.Join(err, d.checkpoint())
}

// HasCopy reports whether there is a copy.
func (d *DB) HasCopy() bool { return exists(d.path + copySuffix) }

// copyTo makes the copy under the name part and renames it to path.
func (d *DB) copyTo(ctx context.Context, part, path string) error {
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// SQLite accepts an empty file and keeps its mode
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	// The copy gets its own connection: others wait for the writer's, and a reader's may not write.
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

// onDatabase opens a connection of its own, calls fn with it and closes it.
func onDatabase(path string, fn func(*sql.DB) error) error {
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return err
	}
	return errors.Join(fn(db), db.Close())
}

// checkpoint moves the write-ahead log into the file, as far as readers permit. So a file that
// loses its write-ahead log is not older than its copy.
func (d *DB) checkpoint() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := d.conn.ExecContext(background, "PRAGMA wal_checkpoint(PASSIVE)")
	return d.explain("checkpoint", err)
}

// dropCopy cancels a copy that is being made and deletes an existing one. No copy is made until the
// caller calls unlock.
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
