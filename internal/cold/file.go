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

	_ "modernc.org/sqlite" // the driver for database/sql
)

// Options are the options of Open and OpenBlobs. Now is required.
type Options struct {
	Now func() time.Time // the clock; names files that are moved aside
	Log *slog.Logger     // gets one warning if a file was moved aside; may be nil
	// Called when an open file turns out to be damaged. Opening it again checks all of it. May be nil.
	Damaged func()
	Seal    *Seal // seals texts and blobs; nil stores them unsealed
	// Sync every commit to the disk. If false, the write-ahead log is synced within syncAfter.
	Full bool

	cut string // the warning if the end of the file was lost
	// KiB of pages that the writing connection caches; each reader caches a quarter of that. 0:
	// fileCache.
	cache   int
	readers int // number of reading connections; 0: fileReaders
	checked int // pages of the largest file that opening checks completely; 0: checkedPages
}

// Defaults for files other than the log. They are small and rarely queried, so few connections with
// small caches are enough and keep an idle daemon small.
const (
	fileCache   = 512
	fileReaders = 2
)

// Warnings when a file was moved aside.
const (
	fileWarning        = "a file of the store was damaged: it was moved aside and a fresh one begun"
	fileVersionWarning = "a file of the store is of another version of aOa: it was moved aside and a fresh one begun"
)

// walPages is the number of pages, 16 MB in all, to which the write-ahead log grows before it is
// moved into the file. Every batch writes the pages at the end of each table and index; waiting
// means that they are moved only once.
const walPages = 4000

// complete returns the options with defaults filled in, and the absolute path.
func (o Options) complete(path string) (Options, string, error) {
	path, err := filepath.Abs(path)
	o.cut, o.cache, o.readers = cmp.Or(o.cut, cutWarning), cmp.Or(o.cache, fileCache), cmp.Or(o.readers, fileReaders)
	o.checked = cmp.Or(o.checked, checkedPages)
	return o, path, err
}

func (o Options) warn(message string, attrs ...any) {
	if o.Log != nil {
		o.Log.Warn(message, attrs...)
	}
}

// File is an open SQLite file with one connection that writes and a few that read. It is safe for
// concurrent use. A second File on the same path waits up to five seconds while the first one
// writes.
type File struct {
	path    string
	damaged func()
	bad     *badRows
	reader  *sql.DB // several connections, read only
	writer  *sql.DB // one connection, which is held in conn

	checking sync.WaitGroup
	endCheck func() // stops the check in the background and waits for its end

	full   bool // sync every commit
	syncer syncer

	// Every transaction gets the next number. In a log, these are the numbers of its events.
	counts  bool
	seq     atomic.Int64 // the last number
	spoiled atomic.Bool  // damage was found
	marking sync.Mutex   // held while the mark is written
	opened  os.FileInfo  // describes the file when it was opened

	mu     sync.Mutex // held while writing; guards conn and stmts
	conn   *sql.Conn
	stmts  map[string]*sql.Stmt // statements compiled on conn, by their text
	undone func()               // called after a transaction was undone, with mu held; may be nil
}

// openFile opens a file whose transactions are counted; see mark.go. It creates the folder (0700)
// and the file (0600) if they are missing. schema has the statements that create the tables of an
// empty file.
//
// If the file is damaged, or another version of aOa made it, it is moved aside as
// "<path>.damaged-<unix ms>" or "<path>.version-<unix ms>", a new one takes its place, and the log
// gets one warning. Other errors are ErrFull, ErrReadOnly, or errors of the system.
func openFile(ctx context.Context, path, schema string, o Options) (*File, error) {
	o, path, err := o.complete(path)
	if err != nil {
		return nil, err
	}
	was := lookBefore(path)
	open := func() (*File, error) { return tryFile(ctx, path, counter+schema, "SELECT n FROM written", was, o) }
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
	f.counts = true
	f.compare(o, was)
	return f, nil
}

// counter is the table of a file whose transactions are counted.
const counter = `CREATE TABLE written (n INTEGER NOT NULL) STRICT;
INSERT INTO written VALUES (0);
`

// unusable reports whether err means that a new file has to take the place of the old one.
func unusable(err error) bool { return errors.Is(err, ErrDamaged) || errors.Is(err, errVersion) }

// tryFile opens a file without repairing it. last is the query for the number of its last
// transaction.
func tryFile(ctx context.Context, path, schema, last string, was before, o Options) (*File, error) {
	if err := prepareFile(path); err != nil {
		return nil, notOpened(path, err)
	}
	f := &File{path: path, full: o.Full, bad: &badRows{path: path, log: o.Log}, stmts: map[string]*sql.Stmt{},
		endCheck: func() {}}
	f.syncer.path = path
	f.syncer.warn = func(err error) {
		o.warn("the last writes are not synced: a power cut may lose them", "file", path, "err", err)
	}
	checked, err := f.connect(ctx, schema, was, o)
	if err == nil {
		var n int64
		_, err = f.Scan(ctx, last, nil, &n)
		f.seq.Store(n)
	}
	if err == nil {
		f.opened, err = os.Stat(path)
	}
	if err != nil {
		_ = f.closeAll()
		return nil, notOpened(path, err)
	}
	f.damaged = o.Damaged // damage found while opening is returned as an error instead
	if !checked {
		f.checkLater()
	}
	return f, nil
}

// notOpened explains why the file at path did not open. A damaged file gets no hint, because the
// caller repairs or replaces it.
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

// connect opens the connections and checks an existing file before anything is written. checked is
// false if the file is so large that it has yet to be checked.
func (f *File) connect(ctx context.Context, schema string, was before, o Options) (checked bool, err error) {
	synced := "synchronous(normal)"
	if f.full {
		synced = "synchronous(full)"
	}
	// auto_vacuum must be chosen before the first page is written.
	f.writer, err = sql.Open("sqlite", dsn(f.path, "auto_vacuum(2)", "journal_mode(wal)", synced,
		"secure_delete(fast)", fmt.Sprintf("cache_size(-%d)", o.cache), "journal_size_limit(16777216)", "foreign_keys(1)",
		fmt.Sprintf("wal_autocheckpoint(%d)", walPages)))
	if err != nil {
		return false, err
	}
	f.writer.SetMaxOpenConns(1)
	if f.conn, err = f.writer.Conn(ctx); err != nil {
		return false, err
	}
	if checked, err = f.inspect(ctx, schema, was, o); err != nil {
		return false, err
	}
	f.reader, err = sql.Open("sqlite", dsn(f.path, "query_only(1)", fmt.Sprintf("cache_size(-%d)", o.cache/4)))
	if err != nil {
		return false, err
	}
	f.reader.SetMaxOpenConns(o.readers)
	f.reader.SetMaxIdleConns(o.readers)
	return checked, nil
}

// busyTimeout is how long a connection waits for another one's lock, in milliseconds.
const busyTimeout = "5000"

// dsn returns the driver's name for a file. The path is escaped, because folder names may contain
// '?' and '#'.
func dsn(path string, pragmas ...string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a path with a Windows drive
	}
	q := url.Values{"_pragma": append([]string{"busy_timeout(" + busyTimeout + ")"}, pragmas...)}
	return "file://" + (&url.URL{Path: p}).EscapedPath() + "?" + q.Encode()
}

// Close moves the write-ahead log into the file and closes it.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.closeAll(); err != nil {
		return f.explain("close store", err)
	}
	return nil
}

// closeAll closes the readers first: the last connection to close checkpoints the write-ahead log,
// and readers cannot do that.
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
