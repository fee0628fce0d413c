package cold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// prepareFile makes the folder and the file with their modes before SQLite does, which would apply the umask,
// and finds out whether they can be written.
func prepareFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%w: not a file but a %s", ErrDamaged, info.Mode().Type())
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if info != nil && info.Mode().Perm()&0o077 != 0 {
		if err := f.Chmod(0o600); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// classifySystem is classify for errors of the operating system.
func classifySystem(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return ErrFull
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return ErrReadOnly
	}
	return nil
}

// checkedPages bounds the check at every start, which reads the whole file: 8192 pages are 32 MB. A larger file is
// only checked as a whole when the last run met damage in it; otherwise its schema is.
const checkedPages = 8192

// check searches for damage. After a run that met some (see suspect) the indexes are compared with their tables too.
func (f *File) check(ctx context.Context) error {
	var tables, pages int
	err := f.conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").Scan(&tables)
	switch want := made(f.schema); {
	case err != nil:
		return damaged(err)
	case tables != want:
		return fmt.Errorf("%w: it has %d tables and indexes, not %d", ErrDamaged, tables, want)
	}
	if err := f.conn.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
		return err
	}
	pragma := "PRAGMA quick_check(1)"
	_, err = os.Stat(f.suspectFile())
	switch {
	case err == nil:
		pragma = "PRAGMA integrity_check(1)"
	case pages > f.checked:
		return nil
	}
	var verdict string
	err = f.conn.QueryRowContext(ctx, pragma).Scan(&verdict)
	switch {
	case err != nil:
		return damaged(err)
	case verdict != "ok":
		return fmt.Errorf("%w: %s", ErrDamaged, verdict)
	}
	return nil
}

// damaged makes an error of reading ErrDamaged, unless the surroundings are to blame.
func damaged(err error) error {
	if environmental(err) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// trust takes the note of the last run away: the file was checked when it was opened.
func (f *File) trust() error {
	if err := os.Remove(f.suspectFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// suspectFile is beside the database when a run met damage in it: the next Open checks more.
func (f *File) suspectFile() string { return f.path + ".suspect" }

// suspect leaves a note for the next Open, and calls Options.Damaged. If even the note fails, the next Open looks as
// closely as always.
func (f *File) suspect() {
	if f.damaged != nil {
		defer f.damaged()
	}
	if note, err := os.OpenFile(f.suspectFile(), os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
		_ = note.Close()
	}
}

// moveAside renames the database and its companions, and returns its new name. The write-ahead log goes first: beside
// another database it would be taken for that one's. It keeps its name's relation to the file, so that the pair can
// be opened.
func moveAside(path string, why error, now time.Time) (string, error) {
	reason := "damaged"
	if errors.Is(why, errVersion) {
		reason = "version"
	}
	aside := fmt.Sprintf("%s.%s-%d", path, reason, now.UnixMilli())
	for n := 1; ; n++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		}
		aside = fmt.Sprintf("%s.%s-%d-%d", path, reason, now.UnixMilli(), n)
	}
	for _, suffix := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("open store: %w; moving the file aside failed too: %w", why, err)
		}
	}
	if err := os.Remove(path + ".suspect"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("open store: %w; the note about it stays: %w", why, err)
	}
	return aside, nil
}
