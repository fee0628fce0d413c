package cold

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// Options of Open. Now is required.
type Options struct {
	Now     func() time.Time // names a damaged file's copy
	Log     *slog.Logger     // gets one warning when a damaged file was moved aside; may be nil
	Damaged func()           // called when an open store meets damage: another Open will look closer; may be nil
}

// DB is an open store. It is safe for concurrent use.
type DB struct {
	path    string
	damaged func()
	reader  *sql.DB      // several connections, read only
	writer  *sql.DB      // exactly one connection, held in conn
	seq     atomic.Int64 // number of the last batch
	anyGone atomic.Bool  // the table gone is not empty
	renamed atomic.Int64 // grows with every change of the table renames
	lines   atomic.Pointer[lineage]
	counted atomic.Int64 // grows with every change of what Together counts
	pairs   pairCounts

	mu    sync.Mutex // guards conn, stmts and hops: one writer at a time
	conn  *sql.Conn
	stmts map[string]*sql.Stmt // statements compiled on conn
	hops  hops                 // nil: not read yet, or a transaction failed since
	kept  int                  // answers in the table; negative: not counted yet, or a transaction failed since

	readMu    sync.Mutex // guards readStmts
	readStmts map[string]*sql.Stmt
}

// readers is the number of reading connections: queries are short, and every connection has its own cache.
const readers = 4

// Open opens the store, creating the folder (0700) and the file (0600) if they are missing, and brings the
// schema up to date. A damaged file is moved aside as "<path>.damaged-<unix ms>", a fresh one takes its place
// and the log gets one warning. A file of a newer aoa is left alone: ErrNewer.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	if o.Now == nil {
		return nil, errors.New("open store: Options.Now is missing")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	d, err := open(ctx, path, o)
	if err == nil || !errors.Is(err, ErrDamaged) {
		return d, err
	}
	aside, moveErr := moveAside(path, o.Now())
	if moveErr != nil {
		return nil, fmt.Errorf("open store: %w; moving the file aside failed too: %w", err, moveErr)
	}
	if o.Log != nil {
		o.Log.Warn(asideWarning, "file", path, "moved_to", aside, "damage", err.Error())
	}
	return open(ctx, path, o)
}

func open(ctx context.Context, path string, o Options) (*DB, error) {
	if err := prepareFile(path); err != nil {
		return nil, explain("open store", path, classify(err), err)
	}
	d := &DB{path: path, kept: -1, stmts: map[string]*sql.Stmt{}, readStmts: map[string]*sql.Stmt{}}
	defer func() { d.damaged = o.Damaged }() // what opening meets, its caller is told by the error
	err := d.connect(ctx)
	if err == nil {
		err = d.begin(ctx)
	}
	if err == nil {
		err = d.acquit(ctx)
	}
	if err != nil {
		d.closeAll()
		return nil, explain("open store", path, classify(err), err)
	}
	return d, nil
}

// connect opens the writing connection and checks what is there before anything is written.
func (d *DB) connect(ctx context.Context) (err error) {
	// auto_vacuum must be chosen before the first page is written.
	d.writer, err = sql.Open("sqlite", dsn(d.path, "auto_vacuum(2)", "journal_mode(wal)", "synchronous(normal)",
		"secure_delete(fast)", "cache_size(-4000)", "journal_size_limit(16777216)", "foreign_keys(1)"))
	if err != nil {
		return err
	}
	d.writer.SetMaxOpenConns(1)
	d.conn, err = d.writer.Conn(ctx)
	if err != nil {
		return err
	}
	if err := d.inspect(ctx); err != nil {
		return err
	}
	d.reader, err = sql.Open("sqlite", dsn(d.path, "query_only(1)", "cache_size(-1000)"))
	if err != nil {
		return err
	}
	d.reader.SetMaxOpenConns(readers)
	d.reader.SetMaxIdleConns(readers)
	return nil
}

// begin reads what is kept in memory: the number of the last batch, and whether anything was ever forgotten.
func (d *DB) begin(ctx context.Context) error {
	v, err := d.Meta(ctx, metaSeq)
	if err != nil {
		return err
	}
	seq, err := parseSeq(v)
	if err != nil {
		return err
	}
	d.seq.Store(seq)
	var any bool
	if err := d.row(ctx, "any_gone").Scan(&any); err != nil {
		return err
	}
	d.anyGone.Store(any)
	return nil
}

func parseSeq(v string) (int64, error) {
	if v == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%w: a batch is numbered %q", ErrDamaged, v)
	}
	return n, nil
}

// dsn makes the driver's name for the file. The path is escaped: '?' and '#' are allowed in folder names.
func dsn(path string, pragmas ...string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a Windows drive
	}
	q := url.Values{"_pragma": append([]string{"busy_timeout(5000)"}, pragmas...)}
	return "file://" + (&url.URL{Path: p}).EscapedPath() + "?" + q.Encode()
}

// Close empties the write-ahead log into the file and closes it.
func (d *DB) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.closeAll(); err != nil {
		return d.explain("close store", err)
	}
	return nil
}

// closeAll closes the readers first: the last connection to go checkpoints the log, and readers cannot.
func (d *DB) closeAll() error {
	var errs []error
	if d.reader != nil {
		errs = append(errs, d.reader.Close())
	}
	for _, s := range d.stmts {
		errs = append(errs, s.Close())
	}
	d.stmts = map[string]*sql.Stmt{}
	if d.conn != nil {
		errs = append(errs, d.conn.Close())
	}
	if d.writer != nil {
		errs = append(errs, d.writer.Close())
	}
	return errors.Join(errs...)
}

// writing is one write transaction.
type writing struct{ d *DB }

// write runs fn inside one transaction: all of it is kept or nothing. The context is looked at before it
// begins only, since a transaction is short and interrupting one costs a goroutine per statement.
func (d *DB) write(ctx context.Context, what string, fn func(w writing) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if _, err := d.conn.ExecContext(background, "BEGIN IMMEDIATE"); err != nil {
		return d.explain(what, err)
	}
	err := fn(writing{d})
	if err == nil {
		if _, err = d.conn.ExecContext(background, "COMMIT"); err == nil {
			return nil
		}
	}
	d.hops, d.kept = nil, -1
	// On a full disk SQLite may have rolled back by itself; a second rollback then fails, which is fine.
	_, _ = d.conn.ExecContext(background, "ROLLBACK")
	return d.explain(what, err)
}

var background = context.Background()

// stmt returns the named statement, compiled once.
func (w writing) stmt(name string) (*sql.Stmt, error) {
	if s, ok := w.d.stmts[name]; ok {
		return s, nil
	}
	return w.prepare(name, query(name))
}

// prepare compiles a statement under a name of the caller's choice.
func (w writing) prepare(name, text string) (*sql.Stmt, error) {
	if s, ok := w.d.stmts[name]; ok {
		return s, nil
	}
	s, err := w.d.conn.PrepareContext(background, text)
	if err != nil {
		return nil, err
	}
	w.d.stmts[name] = s
	return s, nil
}

func (w writing) exec(name string, args ...any) (sql.Result, error) {
	s, err := w.stmt(name)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(background, args...)
}

// run is exec for those who do not ask what changed.
func (w writing) run(name string, args ...any) error {
	_, err := w.exec(name, args...)
	return err
}

// scan reads one row into dst; found is false when there is none.
func (w writing) scan(name string, args []any, dst ...any) (found bool, err error) {
	s, err := w.stmt(name)
	if err != nil {
		return false, err
	}
	err = s.QueryRowContext(background, args...).Scan(dst...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// insertRows inserts rows of width parameters each, many per statement; args is all of them in a row.
func (w writing) insertRows(into string, width int, args []any) error {
	return w.many(into+" VALUES "+rows(1, width), width, args, nil)
}

// many runs a statement that is written for one row of width parameters over many such rows, up to a hundred at a time.
// fn, if there is one, sees each row that the statement returns.
func (w writing) many(text string, width int, args []any, fn func(*sql.Rows) error) error {
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
			err = eachRow(s, args[:n*width], fn)
		}
		if err != nil {
			return err
		}
		args = args[n*width:]
	}
	return nil
}

func eachRow(s *sql.Stmt, args []any, fn func(*sql.Rows) error) error {
	rows, err := s.QueryContext(background, args...)
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := fn(rows); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// readStmt returns the named statement for the readers.
func (d *DB) readStmt(ctx context.Context, name string) (*sql.Stmt, error) {
	d.readMu.Lock()
	defer d.readMu.Unlock()
	if s, ok := d.readStmts[name]; ok {
		return s, nil
	}
	s, err := d.reader.PrepareContext(ctx, query(name))
	if err == nil {
		d.readStmts[name] = s
	}
	return s, err
}

// rows runs a reading statement.
func (d *DB) rows(ctx context.Context, name string, args ...any) (*sql.Rows, error) {
	s, err := d.readStmt(ctx, name)
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

func (d *DB) row(ctx context.Context, name string, args ...any) oneRow {
	s, err := d.readStmt(ctx, name)
	if err != nil {
		return oneRow{err: err}
	}
	return oneRow{row: s.QueryRowContext(ctx, args...)}
}
