package cold

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// prepareFile creates the folder and the file with their modes before SQLite does, because SQLite
// would apply the umask. It also finds out whether they can be written.
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

// checkedPages is the largest number of pages of a file that is checked completely while it is
// opened. 8192 pages are 32 MB, which take half a second on two busy cores. A larger file is
// checked in the background afterwards.
const checkedPages = 8192

// check looks for damage. If the previous run met damage (see suspect), it also compares the
// indexes with their tables.
func (f *File) check(ctx context.Context) error {
	if err := f.checkSchema(ctx); err != nil {
		return err
	}
	var pages int
	if err := f.conn.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
		return err
	}
	pragma := "PRAGMA quick_check(1)"
	if exists(f.suspectFile()) {
		pragma = "PRAGMA integrity_check(1)"
	} else if pages > f.checked {
		f.checks = f.checked >= 0
		return nil
	}
	return verdict(ctx, f.conn, pragma)
}

// checkLater checks the whole file while others use it. If it finds damage, the next opening deals
// with it; see suspect. It ends early when the file is closed or scrubbed.
func (f *File) checkLater() {
	ctx, cancel := context.WithCancel(background)
	f.checking.Go(func() {
		if errors.Is(verdict(ctx, f.reader, "PRAGMA quick_check(1)"), ErrDamaged) && ctx.Err() == nil {
			f.suspect()
		}
	})
	f.endCheck = func() { cancel(); f.checking.Wait() }
}

// verdict runs one of SQLite's integrity checks and returns ErrDamaged if it finds damage.
func verdict(ctx context.Context, db interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, pragma string) error {
	var verdict string
	err := db.QueryRowContext(ctx, pragma).Scan(&verdict)
	switch {
	case err != nil:
		return damaged(err)
	case verdict != "ok":
		return fmt.Errorf("%w: %s", ErrDamaged, verdict)
	}
	return nil
}

// checkSchema compares the tables and indexes with those of this program, by the CREATE statements
// that SQLite keeps.
func (f *File) checkSchema(ctx context.Context) error {
	made := 0
	err := f.each(ctx, f.conn, "SELECT name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'", nil,
		func(row Row) error {
			var name, statement string
			err := row.Scan(&name, &statement)
			if err == nil && !strings.Contains(f.schema, statement+";") {
				err = fmt.Errorf("%w: %s differs from the one that this program creates", ErrDamaged, name)
			}
			made++
			return err
		})
	if want := strings.Count("\n"+f.schema, "\nCREATE "); err == nil && made != want {
		err = fmt.Errorf("%w: it has %d tables and indexes, not %d", ErrDamaged, made, want)
	}
	if err == nil || errors.Is(err, ErrDamaged) {
		return err
	}
	return damaged(err)
}

// damaged turns an error of reading into ErrDamaged, unless its cause is outside of the file.
func damaged(err error) error {
	if environmental(err) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// trust deletes the note of the previous run, because the file has now been checked.
func (f *File) trust() error {
	if err := os.Remove(f.suspectFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// suspectFile returns the name of the note that a run writes next to the database when it meets
// damage, so that the next Open checks more.
func (f *File) suspectFile() string { return f.path + ".suspect" }

// suspect writes a note for the next Open and calls Options.Damaged. If the note cannot be written,
// the next Open checks only as much as usual.
func (f *File) suspect() {
	if f.damaged != nil {
		defer f.damaged()
	}
	if note, err := os.OpenFile(f.suspectFile(), os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
		_ = note.Close()
	}
}

// moveAside renames the database and its companion files, and returns the new name. The write-ahead
// log is renamed first, because next to another database it would be taken for that one's. It gets
// a name that fits the renamed database, so that the pair can still be opened.
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
