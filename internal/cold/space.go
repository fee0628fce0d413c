package cold

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Used returns the number of bytes that the file needs: its pages without the free ones.
func (f *File) Used(ctx context.Context) (int64, error) {
	const text = "SELECT ((SELECT page_count FROM pragma_page_count) - " +
		"(SELECT freelist_count FROM pragma_freelist_count)) * (SELECT page_size FROM pragma_page_size)"
	var bytes int64
	err := f.reader.QueryRowContext(ctx, text).Scan(&bytes)
	return bytes, f.explain("measure store", err)
}

// leastFree is the least number of free pages, 1 MB in all, that GiveBack returns.
const leastFree = 256

// GiveBack returns free pages to the file system if there are many, as far as readers permit.
func (f *File) GiveBack(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("prune store: %w", err)
	}
	var free int
	if err := f.conn.QueryRowContext(background, "PRAGMA freelist_count").Scan(&free); err != nil || free < leastFree {
		return f.explain("prune store", err)
	}
	for _, pragma := range []string{"PRAGMA incremental_vacuum", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if _, err := f.conn.ExecContext(background, pragma); err != nil {
			return f.explain("prune store", err)
		}
	}
	return nil
}

var globLiteral = strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`)

// Scrub overwrites deleted data: it rewrites the file without free space and empties the
// write-ahead log. Meanwhile others can read but not write. It fails while another connection still
// reads deleted data, and if the disk has no room for the new file.
func (f *File) Scrub(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("scrub store: %w", err)
	}
	f.endCheck() // the check reads deleted data
	if _, err := f.conn.ExecContext(background, "VACUUM"); err != nil {
		return f.explain("scrub store", err)
	}
	// Do not wait for a slow reader, because writers wait for this.
	if _, err := f.conn.ExecContext(background, "PRAGMA busy_timeout(500)"); err != nil {
		return f.explain("scrub store", err)
	}
	var busy, pages, done int
	err := f.conn.QueryRowContext(background, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &done)
	_, berr := f.conn.ExecContext(background, "PRAGMA busy_timeout("+busyTimeout+")")
	if err := errors.Join(err, berr); err != nil {
		return f.explain("scrub store", err)
	}
	if busy != 0 {
		return fmt.Errorf("scrub store: %s: another program reads it, so its write-ahead log still has the old bytes",
			f.path)
	}
	return nil
}

// removeAside deletes the files in a folder that were moved aside.
func removeAside(folder string) (err error) {
	for _, pattern := range []string{"*.damaged-*", "*.version-*"} {
		names, gerr := filepath.Glob(filepath.Join(globLiteral.Replace(folder), pattern))
		err = errors.Join(err, gerr)
		for _, name := range names {
			if st, serr := os.Lstat(name); serr == nil && !st.IsDir() { // a folder is not ours
				err = errors.Join(err, os.Remove(name))
			}
		}
	}
	return err
}
