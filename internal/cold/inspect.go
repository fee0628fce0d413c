package cold

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

const quickCheck = "PRAGMA quick_check(1)"

// checkLater checks the whole file while others use it. It ends early when the file is closed or
// scrubbed.
func (f *File) checkLater() {
	ctx, cancel := context.WithCancel(background)
	f.checking.Go(func() {
		if classify(verdict(ctx, f.reader, quickCheck)) == ErrDamaged && ctx.Err() == nil {
			f.spoil()
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
	if err == nil && verdict != "ok" {
		err = fmt.Errorf("%w: %s", ErrDamaged, verdict)
	}
	return err
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
	return aside, nil
}
