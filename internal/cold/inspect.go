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

// applicationID marks the file as aOa's ("aOa1" in ASCII); file(1) and we recognise it.
const applicationID = 0x614f6131

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

// inspect finds out whose file it is and whether it is whole, and migrates it. Whatever is wrong with the
// file itself comes back as ErrDamaged.
func (f *File) inspect(ctx context.Context) error {
	known, err := f.schema.version()
	if err != nil {
		return err
	}
	var id, version, tables int
	err = f.conn.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id),"+
		" (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").Scan(&id, &version, &tables)
	switch {
	case err != nil:
		return damaged(err)
	case id == 0 && version == 0 && tables == 0:
		return f.migrate(ctx, 0)
	case id != applicationID:
		return fmt.Errorf("%w: it belongs to another program (application id %#x)", ErrDamaged, id)
	case version > known:
		return fmt.Errorf("%w (schema %d, this one knows %d): update aoa, or run 'aoa remove' and 'aoa init' to start over",
			ErrNewer, version, known)
	}
	if version < known {
		if err := f.migrate(ctx, version); err != nil {
			return err
		}
	}
	return f.check(ctx)
}

// migrate brings the schema from a version to ours, in one transaction, and returns the space that this frees.
func (f *File) migrate(ctx context.Context, from int) error {
	err := f.Write(ctx, "migrate store", func(tx *Tx) error { return f.schema.migrate(tx, from) })
	if err != nil || from == 0 {
		return err
	}
	return f.GiveBack(ctx)
}

// checkedPages bounds the check at every start, which reads the whole file: 8192 pages are 32 MB. A larger file is only
// checked as a whole when the last run met damage in it; otherwise its schema is.
const checkedPages = 8192

// check searches for damage. After a run that met some (see suspect) the indexes are compared with their tables too.
func (f *File) check(ctx context.Context) error {
	want, err := f.schema.columns(ctx)
	if err != nil {
		return err
	}
	has, err := columns(ctx, f.conn)
	switch {
	case err != nil:
		return damaged(err)
	case has != want:
		return fmt.Errorf("%w: its tables have the columns %s, not %s", ErrDamaged, has, want)
	}
	var pages int
	if err := f.conn.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
		return err
	}
	pragma := "PRAGMA quick_check(1)"
	_, err = os.Stat(f.suspectFile())
	switch {
	case err == nil:
		pragma = "PRAGMA integrity_check(1)"
	case pages > checkedPages:
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

// moveAside renames the database and its companions. The log keeps its name's relation to the file, so that
// whoever wants to rescue something can open the pair.
func moveAside(path string, now time.Time) (string, error) {
	aside := fmt.Sprintf("%s.damaged-%d", path, now.UnixMilli())
	for n := 1; ; n++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		}
		aside = fmt.Sprintf("%s.damaged-%d-%d", path, now.UnixMilli(), n)
	}
	if err := os.Rename(path, aside); err != nil {
		return "", err
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Rename(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	if err := os.Remove(path + ".suspect"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return aside, nil
}
