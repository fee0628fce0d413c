package cold

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// DropDamaged deletes the copies that Open moved aside: they hold what is to be forgotten, too.
func (f *File) DropDamaged() error {
	old, err := filepath.Glob(globLiteral.Replace(f.path) + ".damaged-*")
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	for _, name := range old {
		if err := os.RemoveAll(name); err != nil {
			return fmt.Errorf("forget: remove the damaged copy: %w", err)
		}
	}
	return nil
}

var globLiteral = strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`)

// Scrub overwrites what was deleted: it rewrites the file without free space and empties the write-ahead log.
// The whole file is written anew, during which others read but do not write.
func (f *File) Scrub(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("scrub store: %w", err)
	}
	if _, err := f.conn.ExecContext(background, "VACUUM"); err != nil {
		return f.explain("scrub store", err)
	}
	var busy, pages, done int
	if err := f.conn.QueryRowContext(background, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &done); err != nil {
		return f.explain("scrub store", err)
	}
	if busy != 0 {
		return errors.New("scrub store: a long reading is under way, so the log still holds the old bytes: try again in a moment")
	}
	return nil
}
