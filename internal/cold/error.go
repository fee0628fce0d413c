package cold

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Errors that callers handle in different ways. Each is wrapped with what was being done, where,
// and what to do next.
var (
	ErrFull     = errors.New("no space left")
	ErrReadOnly = errors.New("the store cannot be written")
	ErrDamaged  = errors.New("the database is damaged")
)

// hints has for each of these errors what to do next.
var hints = map[error]string{
	ErrFull:     "free some space on that disk, or lower retention.bytes; nothing was half-written",
	ErrReadOnly: "check the permissions of that folder and that its disk is mounted for writing",
	ErrDamaged:  "restart the daemon (aoa daemon stop): it moves the file aside and takes its copy, or begins a fresh one",
}

// explain wraps an error of SQLite with one of the errors above, the place and a hint. what tells
// what was being done, as "append events".
func (f *File) explain(what string, err error) error {
	if err == nil {
		return nil
	}
	kind := classify(err)
	if kind == ErrDamaged {
		f.spoil()
	}
	return explain(what, f.path, kind, err)
}

func explain(what, path string, kind, err error) error {
	if kind == nil || errors.Is(err, kind) {
		return fmt.Errorf("%s: %s: %w", what, path, err)
	}
	return fmt.Errorf("%s: %s: %w (%w): %s", what, path, kind, err, hints[kind])
}

// classify returns which of the errors above applies, nil if none.
func classify(err error) error {
	for _, kind := range []error{ErrFull, ErrReadOnly, ErrDamaged} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	e, is := errors.AsType[*sqlite.Error](err)
	if !is {
		return classifySystem(err)
	}
	switch e.Code() {
	case sqlite3.SQLITE_IOERR_SHMSIZE:
		return ErrFull // the index of the write-ahead log cannot grow, which means that the disk is full
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
