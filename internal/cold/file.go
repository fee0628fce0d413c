package cold

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// Options of Open and OpenFile. Now is required.
type Options struct {
	Now     func() time.Time // names a damaged file's copy
	Log     *slog.Logger     // gets one warning when a damaged file was moved aside; may be nil
	Damaged func()           // called when an open file meets damage: another Open checks more; may be nil
	Seal    *Seal            // of the texts in the store; nil stores them open
	Full    bool             // every commit is synced to the disk; else the log is, within syncAfter
	// Expected says that there was a store: Open warns when its file is missing. OpenFile does not use it.
	Expected bool

	cache   int    // KiB of pages that the writing connection keeps, a quarter of it per reader; 0: fileCache
	readers int    // reading connections; 0: fileReaders
	warning string // that a damaged file was moved aside; "": fileWarning
	// moved is called with the new name of a damaged file when a fresh one is open in its place, and returns attributes for the
	// warning; may be nil.
	moved func(aside string) []any
	bad   *badRows // counts rows that cannot be read; nil: one of its own
}

// Another file is small and rarely asked: few connections with small caches, since an idle daemon's memory counts.
const (
	fileCache   = 512
	fileReaders = 2
	fileWarning = "a file of the store was damaged: it was moved aside and a fresh one begun"
)

// walPages is how long the write-ahead log grows, 16 MB, before it goes into the file: the pages at the end of each table
// and index are written by every batch, and go there once.
const walPages = 4000

func (o Options) withDefaults(path string) Options {
	if o.cache == 0 {
		o.cache = fileCache
	}
	if o.readers == 0 {
		o.readers = fileReaders
	}
	if o.warning == "" {
		o.warning = fileWarning
	}
	if o.bad == nil {
		o.bad = &badRows{path: path, log: o.Log}
	}
	return o
}

// File is one open SQLite file: one connection writes, a few read. It is safe for concurrent use; a second File on the
// same path waits up to five seconds for the first one's writing.
type File struct {
	path    string
	schema  schema
	damaged func()
	bad     *badRows
	reader  *sql.DB // several connections, read only
	writer  *sql.DB // exactly one connection, held in conn

	full   bool // every commit is synced
	syncer syncer

	mu     sync.Mutex // held by who writes; guards conn and stmts
	conn   *sql.Conn
	stmts  map[string]*sql.Stmt // compiled on conn, by their text
	undone func()               // called when a transaction was undone, while mu is held; may be nil

	readMu    sync.Mutex           // guards readStmts
	readStmts map[string]*sql.Stmt // compiled for the readers, by their text
}

// OpenFile opens a file, creating the folder (0700) and the file (0600) if they are missing, and brings its schema up to
// date. migrations are files 0001.sql, 0002.sql, … without a gap, each run once and never edited after its release.
//
// A damaged file is moved aside as "<path>.damaged-<unix ms>", a fresh one takes its place and the log gets one
// warning. A file of a newer aoa is left alone: ErrNewer. Other errors are ErrFull, ErrReadOnly or the system's.
func OpenFile(ctx context.Context, path string, migrations fs.FS, o Options) (*File, error) {
	return openFile(ctx, path, schema{migrations: migrations}, o, func(*File) error { return nil })
}

// openFile is OpenFile with a last step in which the owner reads what it keeps in memory, or checks more closely what
// was suspected: damage that ready reports counts like damage that SQLite reports.
func openFile(ctx context.Context, path string, s schema, o Options, ready func(*File) error) (*File, error) {
	if o.Now == nil {
		return nil, errors.New("open store: Options.Now is missing")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	o = o.withDefaults(path)
	f, err := tryFile(ctx, path, s, o, ready)
	if err == nil || !errors.Is(err, ErrDamaged) {
		return f, err
	}
	aside, moveErr := moveAside(path, o.Now())
	if moveErr != nil {
		return nil, fmt.Errorf("open store: %w; moving the file aside failed too: %w", err, moveErr)
	}
	f, again := tryFile(ctx, path, s, o, ready)
	attrs := []any{"file", path, "moved_to", aside, "damage", err.Error()}
	if again == nil && o.moved != nil {
		attrs = append(attrs, o.moved(aside)...)
	}
	if o.Log != nil {
		o.Log.Warn(o.warning, attrs...)
	}
	return f, again
}

func tryFile(ctx context.Context, path string, s schema, o Options, ready func(*File) error) (*File, error) {
	if err := prepareFile(path); err != nil {
		return nil, explain("open store", path, classify(err), err)
	}
	f := &File{path: path, full: o.Full, schema: s, bad: o.bad, stmts: map[string]*sql.Stmt{}, readStmts: map[string]*sql.Stmt{}}
	f.syncer.path = path
	if o.Log != nil {
		f.syncer.warn = func(err error) {
			o.Log.Warn("what was written is not synced: a power cut may take it along", "file", path, "err", err)
		}
	}
	defer func() { f.damaged = o.Damaged }() // what opening meets is its error
	err := f.connect(ctx, o)
	if err == nil {
		err = ready(f)
	}
	if err == nil {
		err = f.trust()
	}
	if err != nil {
		_ = f.closeAll()
		return nil, explain("open store", path, classify(err), err)
	}
	return f, nil
}

// connect opens the writing connection and checks what is there before anything is written.
func (f *File) connect(ctx context.Context, o Options) (err error) {
	synced := "synchronous(normal)"
	if f.full {
		synced = "synchronous(full)"
	}
	// auto_vacuum must be chosen before the first page is written.
	f.writer, err = sql.Open("sqlite", dsn(f.path, "auto_vacuum(2)", "journal_mode(wal)", synced,
		"secure_delete(fast)", fmt.Sprintf("cache_size(-%d)", o.cache), "journal_size_limit(16777216)", "foreign_keys(1)",
		fmt.Sprintf("wal_autocheckpoint(%d)", walPages)))
	if err != nil {
		return err
	}
	f.writer.SetMaxOpenConns(1)
	if f.conn, err = f.writer.Conn(ctx); err != nil {
		return err
	}
	if err := f.inspect(ctx); err != nil {
		return err
	}
	f.reader, err = sql.Open("sqlite", dsn(f.path, "query_only(1)", fmt.Sprintf("cache_size(-%d)", o.cache/4)))
	if err != nil {
		return err
	}
	f.reader.SetMaxOpenConns(o.readers)
	f.reader.SetMaxIdleConns(o.readers)
	return nil
}

// busyTimeout is how long a connection waits for another one's lock, in milliseconds.
const busyTimeout = "5000"

// dsn makes the driver's name for the file. The path is escaped: '?' and '#' are allowed in folder names.
func dsn(path string, pragmas ...string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a Windows drive
	}
	q := url.Values{"_pragma": append([]string{"busy_timeout(" + busyTimeout + ")"}, pragmas...)}
	return "file://" + (&url.URL{Path: p}).EscapedPath() + "?" + q.Encode()
}

// Close empties the write-ahead log into the file and closes it.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.closeAll(); err != nil {
		return f.explain("close store", err)
	}
	return nil
}

// closeAll closes the readers first: the last connection to go checkpoints the log, and readers cannot.
func (f *File) closeAll() error {
	f.syncer.stop()
	var errs []error
	if f.reader != nil {
		errs = append(errs, f.reader.Close())
	}
	for _, s := range f.stmts {
		errs = append(errs, s.Close())
	}
	if f.conn != nil {
		errs = append(errs, f.conn.Close())
	}
	if f.writer != nil {
		errs = append(errs, f.writer.Close())
	}
	return errors.Join(errs...)
}
