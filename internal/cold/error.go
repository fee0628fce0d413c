package cold

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Errors that callers branch on. Each is wrapped with what was being done, where, and what to do
// next.
var (
	ErrFull     = errors.New("no space left")
	ErrReadOnly = errors.New("the store cannot be written")
	ErrDamaged  = errors.New("the database is damaged")
)

// hints say what to do next, one per sentinel.
var hints = map[error]string{
	ErrFull:     "free some space on that disk, or lower retention.bytes; nothing was half-written",
	ErrReadOnly: "check the permissions of that folder and that its disk is mounted for writing",
	ErrDamaged:  "restart the daemon (aoa daemon stop): it moves the file aside and takes its copy, or begins a fresh one",
}

// explain gives an error of SQLite its sentinel, the place and the hint. what is "append events" or
// the like.
func (f *File) explain(what string, err error) error {
	if err == nil {
		return nil
	}
	kind := classify(err)
	if kind == ErrDamaged {
		f.suspect()
	}
	return explain(what, f.path, kind, err)
}

func explain(what, path string, kind, err error) error {
	if kind == nil || errors.Is(err, kind) {
		return fmt.Errorf("%s: %s: %w", what, path, err)
	}
	return fmt.Errorf("%s: %s: %w (%w): %s", what, path, kind, err, hints[kind])
}

// classify returns the sentinel of an error, nil if it has none.
func classify(err error) error {
	for _, kind := range []error{ErrFull, ErrReadOnly, ErrDamaged} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return classifySystem(err)
	}
	switch e.Code() {
	case sqlite3.SQLITE_IOERR_SHMSIZE:
		return ErrFull // the index of the log cannot grow: that needs a full disk
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return ErrFull
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return ErrReadOnly
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return ErrDamaged
	}
	return nil
}

// environmental reports whether an error comes from the surroundings (disk, permissions, locks,
// memory, a cancelled call) rather than of the database file itself.
func environmental(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return !errors.Is(err, ErrDamaged)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_AUTH:
		return true
	}
	return false
}
