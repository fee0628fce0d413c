package cold

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// Options of Open and OpenFile. Now is required.
type Options struct {
	Now     func() time.Time // names a file that is moved aside
	Log     *slog.Logger     // gets one warning when a file was moved aside; may be nil
	Damaged func()           // called when an open file meets damage: another Open checks more; may be nil
	Seal    *Seal            // of the texts in the log; nil stores them open
	Full    bool             // every commit is synced to the disk; else the write-ahead log is, within syncAfter
	// Expected says that there was a log: Open warns when its file is missing. OpenFile does not
	// use it.
	Expected bool

	cut     string // the warning of a file that lost its end
	cache   int    // KiB of pages that the writing connection keeps, a quarter of it per reader; 0: fileCache
	readers int    // reading connections; 0: fileReaders
	checked int    // pages up to which opening reads the whole file; 0: checkedPages
}

// Another file is small and rarely asked: few connections with small caches, since an idle daemon's
// memory counts.
const (
	fileCache   = 512
	fileReaders = 2
)

// Warnings of a file that was moved aside.
const (
	fileWarning        = "a file of the store was damaged: it was moved aside and a fresh one begun"
	fileVersionWarning = "a file of the store is of another version of aOa: it was moved aside and a fresh one begun"
)

// walPages is how long the write-ahead log grows, 16 MB, before it goes into the file: the pages at
// the end of each table and index are written by every batch, and go there once.
const walPages = 4000

// complete fills in what is not set, and makes the path absolute.
func (o Options) complete(path string) (Options, string, error) {
	if o.Now == nil {
		return o, path, errors.New("open store: Options.Now is missing")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return o, path, fmt.Errorf("open store: %w", err)
	}
	o.cut, o.cache, o.readers = cmp.Or(o.cut, cutWarning), cmp.Or(o.cache, fileCache), cmp.Or(o.readers, fileReaders)
	o.checked = cmp.Or(o.checked, checkedPages)
	return o, path, nil
}

func (o Options) warn(message string, attrs ...any) {
	if o.Log != nil {
		o.Log.Warn(message, attrs...)
	}
}

// File is one open SQLite file: one connection writes, a few read. It is safe for concurrent use; a
// second File on the same path waits up to five seconds for the first one's writing.
type File struct {
	path    string
	schema  string
	checked int // pages; negative: it was checked before
	damaged func()
	bad     *badRows
	reader  *sql.DB // several connections, read only
	writer  *sql.DB // exactly one connection, held in conn

	checks   bool // it is to be read as a whole once it is open
	checking sync.WaitGroup
	endCheck func() // ends that, and waits

	full   bool // every commit is synced
	syncer syncer

	counts  bool         // every transaction gets the next number; those of a log are the numbers of its events
	seq     atomic.Int64 // the last number
	marking sync.Mutex   // held while the mark is written
	opened  os.FileInfo  // the file when it was opened

	mu     sync.Mutex // held by the writer; guards conn and stmts
	conn   *sql.Conn
	stmts  map[string]*sql.Stmt // compiled on conn, by their text
	undone func()               // called when a transaction was undone, while mu is held; may be nil
}

// OpenFile opens a file, creating the folder (0700) and the file (0600) if they are missing. schema
// is the statements that make the tables of an empty file, each CREATE at the begin of a line.
//
// A file that is damaged or that another version of aOa made is moved aside as
// "<path>.damaged-<unix ms>" or "<path>.version-<unix ms>", a fresh one takes its place and the log
// gets one warning. Other errors are ErrFull, ErrReadOnly or the system's.
func OpenFile(ctx context.Context, path, schema string, o Options) (*File, error) {
	o, path, err := o.complete(path)
	if err != nil {
		return nil, err
	}
	was := lookBefore(path)
	o.Expected = false
	open := func() (*File, error) { return tryFile(ctx, path, counter+schema, o, (*File).count) }
	f, err := open()
	if unusable(err) {
		aside, moved := moveAside(path, err, o.Now())
		if moved != nil {
			return nil, moved
		}
		message := fileWarning
		if errors.Is(err, errVersion) {
			message = fileVersionWarning
		}
		o.warn(message, "file", path, "moved_to", aside, "why", err.Error())
		was = before{file: true} // one warning is enough
		f, err = open()
	}
	if err != nil {
		return nil, err
	}
	if err := f.compare(o, was); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// counter is the table of a file whose transactions are counted, see mark.go.
const counter = `CREATE TABLE written (n INTEGER NOT NULL) STRICT;
INSERT INTO written VALUES (0);
`

// count makes the file one whose transactions are counted, from the number that it has.
func (f *File) count() error {
	var n int64
	_, err := f.Scan(background, "SELECT n FROM written", nil, &n)
	f.seq.Store(n)
	f.counts = true
	return err
}

// unusable reports whether a fresh file has to take the place of one that did not open.
func unusable(err error) bool { return errors.Is(err, ErrDamaged) || errors.Is(err, errVersion) }

// tryFile opens a file. ready is a last step in which the owner reads what it keeps in memory, or
// checks more closely what was suspected: damage that ready reports counts like damage that SQLite
// reports.
func tryFile(ctx context.Context, path, schema string, o Options, ready func(*File) error) (*File, error) {
	if err := prepareFile(path); err != nil {
		return nil, notOpened(path, err)
	}
	f := &File{path: path, full: o.Full, schema: schema, checked: o.checked, bad: &badRows{path: path, log: o.Log}, stmts: map[string]*sql.Stmt{},
		endCheck: func() {}}
	f.syncer.path = path
	f.syncer.warn = func(err error) {
		o.warn("what was written is not synced: a power cut may take it along", "file", path, "err", err)
	}
	err := f.connect(ctx, o)
	if err == nil {
		err = ready(f)
	}
	if err == nil {
		err = f.trust()
	}
	if err != nil {
		_ = f.closeAll()
		return nil, notOpened(path, err)
	}
	f.damaged = o.Damaged // what opening meets is its error
	if f.checks {
		f.checkLater()
	}
	return f, nil
}

// notOpened explains why a file did not open. What the opener does about damage needs no hint.
func notOpened(path string, err error) error {
	kind := classify(err)
	if kind != ErrDamaged {
		return explain("open store", path, kind, err)
	}
	if !errors.Is(err, kind) {
		err = fmt.Errorf("%w: %w", kind, err)
	}
	return err
}

// connect opens the writing connection and checks the existing file before anything is written.
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

// dsn makes the driver's name for the file. The path is escaped: '?' and '#' are allowed in folder
// names.
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

// closeAll closes the readers first: the last connection to go checkpoints the log, and readers
// cannot.
func (f *File) closeAll() error {
	f.endCheck()
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
