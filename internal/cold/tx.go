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

// Tx is one write transaction. Rows that cannot be read are skipped; see Scan and Each.
type Tx struct{ f *File }

// Write runs fn inside of one transaction that holds the file's write lock from the beginning. The
// transaction is kept completely or not at all. ctx is checked only before it begins: a transaction
// is short, and interrupting it would cost a goroutine per statement. what tells what is being done
// ("keep item") and begins the error if the database fails; any other error of fn is returned as it
// is.
func (f *File) Write(ctx context.Context, what string, fn func(tx *Tx) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if _, err := f.conn.ExecContext(background, "BEGIN IMMEDIATE"); err != nil {
		return f.explain(what, err)
	}
	open := true
	defer func() { // if fn panics the transaction must not stay open, or nothing could be written again
		if open {
			// On a full disk SQLite may already have rolled back. A second rollback then fails,
			// which is fine.
			_, _ = f.conn.ExecContext(background, "ROLLBACK")
			if f.undone != nil {
				f.undone()
			}
		}
	}()
	err := fn(&Tx{f})
	if err != nil && !ofDatabase(err) {
		return err
	}
	var seq int64
	if err == nil && f.counts {
		_, err = (&Tx{f}).Scan("UPDATE written SET n = n + 1 RETURNING n", nil, &seq)
	}
	if err == nil {
		_, err = f.conn.ExecContext(background, "COMMIT")
	}
	if err != nil {
		return f.explain(what, err)
	}
	open = false
	if f.counts {
		f.committed(seq)
	}
	if !f.full {
		f.syncer.soon()
	}
	return nil
}

// stmt returns a compiled statement and compiles each statement once per connection. Compiling
// takes longer than running, and a batch of one event runs ten statements.
func (tx *Tx) stmt(query string) (*sql.Stmt, error) {
	if s, ok := tx.f.stmts[query]; ok {
		return s, nil
	}
	s, err := tx.f.conn.PrepareContext(background, query)
	if err == nil {
		tx.f.stmts[query] = s
	}
	return s, err
}

// Exec runs a statement.
func (tx *Tx) Exec(query string, args ...any) (sql.Result, error) {
	s, err := tx.stmt(query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(background, args...)
}

// QueryContext runs a query. It ignores the context; see Write.
func (tx *Tx) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := tx.stmt(query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(background, args...)
}

// ofDatabase reports whether an error comes from the database and not from the caller's own code.
func ofDatabase(err error) bool {
	_, is := errors.AsType[*sqlite.Error](err)
	return is || classify(err) != nil
}

// Scan reads one row into dst; found is false if none exists. If the row is damaged the error is
// ErrRow.
func (tx *Tx) Scan(query string, args []any, dst ...any) (found bool, err error) {
	return tx.f.scan(background, tx, query, args, dst)
}

// Each calls fn with every row. fn may run other statements. If fn returns ErrRow the row is
// skipped.
func (tx *Tx) Each(query string, args []any, fn func(Row) error) error {
	return tx.f.each(background, tx, query, args, fn)
}

// run runs several statements with the same arguments.
func (tx *Tx) run(args []any, statements ...string) error {
	for _, s := range statements {
		if _, err := tx.Exec(s, args...); err != nil {
			return err
		}
	}
	return nil
}

// many runs a query of the form "… VALUES %s" for many rows of parameters. args has width values
// for each row. fn is called with each row of the result and may be nil. One statement per row
// would take three times as long.
func (tx *Tx) many(query string, width int, args []any, fn func(Row) error) error {
	for len(args) > 0 {
		n := width
		for _, rows := range []int{10, 100} { // only three sizes, so that few statements are compiled
			if len(args) >= rows*width {
				n = rows * width
			}
		}
		text := fmt.Sprintf(query,
			strings.TrimSuffix(strings.Repeat("("+strings.TrimSuffix(strings.Repeat("?, ", width), ", ")+"), ", n/width), ", "))
		var err error
		if fn == nil {
			err = tx.run(args[:n], text)
		} else {
			err = tx.Each(text, args[:n], fn)
		}
		if err != nil {
			return err
		}
		args = args[n:]
	}
	return nil
}

// Scan is Tx.Scan outside of a transaction. It sees what was committed before it began, and never
// waits for a writer.
func (f *File) Scan(ctx context.Context, query string, args []any, dst ...any) (found bool, err error) {
	found, err = f.scan(ctx, f.reader, query, args, dst)
	return found, f.explainRead(err)
}

// Each is Tx.Each outside of a transaction. fn may use the file; its own error is returned as it
// is.
func (f *File) Each(ctx context.Context, query string, args []any, fn func(Row) error) error {
	return f.explainRead(f.each(ctx, f.reader, query, args, fn))
}

// column returns the values of the only column of all rows.
func column[T any](ctx context.Context, f *File, db querier, query string, args ...any) (out []T, err error) {
	err = f.each(ctx, db, query, args, func(row Row) error {
		var v T
		err := row.Scan(&v)
		out = append(out, v)
		return err
	})
	return out, f.explainRead(err)
}

// pairs returns the two columns of all rows as a map.
func pairs[K comparable, V any](ctx context.Context, f *File, query string) (map[K]V, error) {
	out := map[K]V{}
	err := f.Each(ctx, query, nil, func(row Row) error {
		var k K
		var v V
		err := row.Scan(&k, &v)
		out[k] = v
		return err
	})
	return out, err
}

func (f *File) explainRead(err error) error {
	if err == nil || !ofDatabase(err) {
		return err
	}
	return f.explain("read store", err)
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (f *File) scan(ctx context.Context, db querier, query string, args, dst []any) (found bool, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	if !rows.Next() {
		return false, rows.Err()
	}
	if err := (Row{rows}).Scan(dst...); err != nil {
		f.bad.skip(err)
		return true, err
	}
	return true, rows.Close()
}

func (f *File) each(ctx context.Context, db querier, query string, args []any, fn func(Row) error) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(Row{rows}); err != nil && !f.bad.skip(err) {
			return err
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}
