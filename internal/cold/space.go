package cold

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Used is the bytes that the file needs: its pages without the free ones.
func (f *File) Used(ctx context.Context) (int64, error) {
	const text = "SELECT ((SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count))" +
		" * (SELECT page_size FROM pragma_page_size)"
	var bytes int64
	err := f.reader.QueryRowContext(ctx, text).Scan(&bytes)
	return bytes, f.explain("measure store", err)
}

// GiveBack returns free pages to the file system, as far as readers let it.
func (f *File) GiveBack(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("prune store: %w", err)
	}
	for _, pragma := range []string{"PRAGMA incremental_vacuum", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if _, err := f.conn.ExecContext(background, pragma); err != nil {
			return f.explain("prune store", err)
		}
	}
	return nil
}

var globLiteral = strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`)

// Scrub overwrites what was deleted: it rewrites the file without free space and empties the write-ahead log.
// The whole file is written again, during which others read but do not write. It fails while another connection reads
// what was deleted, and on a disk without space for the new file.
func (f *File) Scrub(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("scrub store: %w", err)
	}
	return scrub(f.path, f.conn)
}

// ScrubFolder does what Scrub does to every database of a folder, and deletes those that were moved
// aside. Others may use the databases meanwhile; one that the caller has open is scrubbed by its own writer, so
// that writing waits for it. What fails for one is reported after the rest is done.
func ScrubFolder(ctx context.Context, dir string, open ...*File) error {
	literal := globLiteral.Replace(dir)
	var failed []error
	for _, pattern := range []string{"*.damaged-*", "*.version-*"} {
		aside, err := filepath.Glob(filepath.Join(literal, pattern))
		failed = append(failed, err)
		for _, name := range aside {
			failed = append(failed, os.RemoveAll(name))
		}
	}
	files, err := filepath.Glob(filepath.Join(literal, "*.db"))
	failed = append(failed, err)
	for _, name := range files {
		if i := slices.IndexFunc(open, func(f *File) bool { return f.path == name }); i >= 0 {
			failed = append(failed, open[i].Scrub(ctx))
			continue
		}
		failed = append(failed, scrubClosed(ctx, name))
	}
	return errors.Join(failed...)
}

// scrubClosed is Scrub for a database that the caller has not opened.
func scrubClosed(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return fmt.Errorf("scrub store: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return explain("scrub store", path, classify(err), err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return scrub(path, conn)
}

func scrub(path string, conn *sql.Conn) error {
	if _, err := conn.ExecContext(background, "VACUUM"); err != nil {
		return explain("scrub store", path, classify(err), err)
	}
	// A reader that stays for long is not waited for: writers wait for this.
	if _, err := conn.ExecContext(background, "PRAGMA busy_timeout(500)"); err != nil {
		return explain("scrub store", path, classify(err), err)
	}
	var busy, pages, done int
	err := conn.QueryRowContext(background, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &done)
	_, berr := conn.ExecContext(background, "PRAGMA busy_timeout("+busyTimeout+")")
	if err := errors.Join(err, berr); err != nil {
		return explain("scrub store", path, classify(err), err)
	}
	if busy != 0 {
		return fmt.Errorf("scrub store: %s: another program reads it, so its write-ahead log still holds the old bytes", path)
	}
	return nil
}
