package cold

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
)

var background = context.Background()

// Writing is one write transaction. It ends with the function that it was given to.
type Writing struct{ f *File }

// Write runs fn inside one transaction that holds the file's write lock from its beginning: all of it is kept or
// nothing. The context is looked at before it begins only, since a transaction is short and interrupting one costs
// a goroutine per statement. what says what is being done ("keep item") and begins the error of a database that
// failed; any other error of fn comes back as it is.
func (f *File) Write(ctx context.Context, what string, fn func(w Writing) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if _, err := f.conn.ExecContext(background, "BEGIN IMMEDIATE"); err != nil {
		return f.explain(what, err)
	}
	open := true
	defer func() { // deferred: a panic of fn must not leave the transaction open, or nothing could be written again
		if open {
			f.rollback()
		}
	}()
	err := fn(Writing{f})
	own := err != nil && !ofDatabase(err)
	if err == nil {
		if _, err = f.conn.ExecContext(background, "COMMIT"); err == nil {
			open = false
			if !f.full {
				f.syncer.soon()
			}
			return nil
		}
	}
	if own {
		return err
	}
	return f.explain(what, err)
}

// rollback undoes the transaction under way.
func (f *File) rollback() {
	// On a full disk SQLite may have rolled back by itself; a second rollback then fails, which is fine.
	_, _ = f.conn.ExecContext(background, "ROLLBACK")
	if f.undone != nil {
		f.undone()
	}
}

// ofDatabase reports whether the database failed, rather than the caller's own code.
func ofDatabase(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) || classify(err) != nil
}

// Exec runs the named statement.
func (w Writing) Exec(name string, args ...any) (sql.Result, error) {
	s, err := w.stmt(name)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(background, args...)
}

// Scan reads one row of the named statement into dst; found is false when there is none.
func (w Writing) Scan(name string, args []any, dst ...any) (found bool, err error) {
	s, err := w.stmt(name)
	if err != nil {
		return false, err
	}
	rows, err := s.QueryContext(background, args...)
	return w.f.one(rows, err, dst...)
}

// Each calls fn with every row of the named statement. fn may run other statements, not the same one. A row for which
// fn returns ErrRow is left out.
func (w Writing) Each(name string, args []any, fn func(Row) error) error {
	s, err := w.stmt(name)
	if err != nil {
		return err
	}
	return w.f.eachRow(background, s, args, fn)
}

// exists tells a missing row from an error.
func exists(err error) (bool, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// stmt returns the named statement, compiled once.
func (w Writing) stmt(name string) (*sql.Stmt, error) {
	if s, ok := w.f.stmts[name]; ok {
		return s, nil
	}
	return w.prepare(name, w.query(name))
}

func (w Writing) query(name string) string { return w.f.query(name) }

// prepare compiles a statement under a name of the caller's choice.
func (w Writing) prepare(name, text string) (*sql.Stmt, error) {
	if s, ok := w.f.stmts[name]; ok {
		return s, nil
	}
	s, err := w.f.conn.PrepareContext(background, text)
	if err != nil {
		return nil, err
	}
	w.f.stmts[name] = s
	return s, nil
}

// run is Exec for those who do not ask what changed.
func (w Writing) run(name string, args ...any) error {
	_, err := w.Exec(name, args...)
	return err
}

// insertRows inserts rows of width parameters each, many per statement; args is all of them in a row.
func (w Writing) insertRows(into string, width int, args []any) error {
	return w.many(into+" VALUES "+rows(1, width), width, args, nil)
}

// many runs a statement that is written for one row of width parameters over many such rows, up to a hundred at a time.
// fn, if there is one, sees each row that the statement returns.
func (w Writing) many(text string, width int, args []any, fn func(Row) error) error {
	for len(args) > 0 {
		n := 1
		for _, size := range []int{100, 10} {
			if len(args) >= size*width {
				n = size
				break
			}
		}
		s, err := w.prepare(fmt.Sprint(n, " rows: ", text), strings.Replace(text, rows(1, width), rows(n, width), 1))
		if err != nil {
			return err
		}
		if fn == nil {
			_, err = s.ExecContext(background, args[:n*width]...)
		} else {
			err = w.f.eachRow(background, s, args[:n*width], fn)
		}
		if err != nil {
			return err
		}
		args = args[n*width:]
	}
	return nil
}

func (f *File) eachRow(ctx context.Context, s *sql.Stmt, args []any, fn func(Row) error) error {
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	return f.each(rows, fn)
}
