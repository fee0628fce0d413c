package cold

import (
	"context"
	"database/sql"
)

// Scan reads one row of the named statement into dst; found is false when there is none. It sees what was
// committed before it began and waits for no writer.
func (f *File) Scan(ctx context.Context, name string, args []any, dst ...any) (found bool, err error) {
	rows, err := f.rows(ctx, name, args...)
	found, err = f.one(rows, err, dst...)
	return found, f.explainRead(name, err)
}

// Each calls fn with every row of the named statement. fn may use the file; its own error comes back as it is, but for
// ErrRow, which leaves out that row.
func (f *File) Each(ctx context.Context, name string, args []any, fn func(Row) error) error {
	s, err := f.readStmt(ctx, name)
	if err == nil {
		err = f.eachRow(ctx, s, args, fn)
	}
	return f.explainRead(name, err)
}

func (f *File) explainRead(name string, err error) error {
	if err == nil || !ofDatabase(err) {
		return err
	}
	return f.explain("read "+name, err)
}

// readStmt returns the named statement for the readers.
func (f *File) readStmt(ctx context.Context, name string) (*sql.Stmt, error) {
	f.readMu.Lock()
	defer f.readMu.Unlock()
	if s, ok := f.readStmts[name]; ok {
		return s, nil
	}
	s, err := f.reader.PrepareContext(ctx, f.query(name))
	if err == nil {
		f.readStmts[name] = s
	}
	return s, err
}

// rows runs a reading statement.
func (f *File) rows(ctx context.Context, name string, args ...any) (*sql.Rows, error) {
	s, err := f.readStmt(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// oneRow is a row or the error that prevented it.
type oneRow struct {
	row *sql.Row
	err error
}

// Scan is (*sql.Row).Scan.
func (r oneRow) Scan(dst ...any) error {
	if r.err != nil {
		return r.err
	}
	return r.row.Scan(dst...)
}

func (f *File) row(ctx context.Context, name string, args ...any) oneRow {
	s, err := f.readStmt(ctx, name)
	if err != nil {
		return oneRow{err: err}
	}
	return oneRow{row: s.QueryRowContext(ctx, args...)}
}
