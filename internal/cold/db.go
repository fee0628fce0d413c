package cold

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/aoa-dev/aoa/internal/event"
)

//go:embed sql
var embedded embed.FS

// logSchema is that of the DB.
var logSchema = schema{migrations: Migrations(embedded), convert: convert}

// Migrations are the files in the folder sql of a package.
func Migrations(embedded fs.FS) fs.FS {
	files, err := fs.Sub(embedded, "sql")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}

// DB is the open event log. It is safe for concurrent use.
type DB struct {
	*File
	seal    *Seal        // of texts; nil: they are stored open
	seq     atomic.Int64 // number of the last batch
	renamed atomic.Int64 // grows with every change of the table renames
	names   atomic.Pointer[aliases]
	commits atomic.Int64 // grows with every change of what Together counts
	pairs   pairCounts

	marking sync.Mutex  // guards what follows
	marked  int64       // the number in the mark
	opened  os.FileInfo // the file when it was opened

	// These belong to who writes. A transaction that fails takes all of them with it.
	renames renames // nil: not read yet
	ids     fileIDs // some of them
	answers int     // in the table; negative: not counted yet
}

const storeWarning = "the store was damaged: it was moved aside and a fresh one begun with the events that could be " +
	"read; git history is learned again"

// Open is OpenFile for the store: everything that ever happened.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	// The store is asked all day: it keeps more pages than other files, and more readers, each with its own cache.
	o.cache, o.readers, o.warning = 4000, 4, storeWarning
	var d *DB
	before, moved := readMark(path), false
	_, missing := os.Stat(path)
	o.moved = func(aside string) []any {
		moved = true
		r, err := d.rescue(ctx, aside)
		attrs := []any{"events_saved", r.events, "events_known_lost", r.lost}
		if err != nil {
			attrs = append(attrs, "saving_failed", err.Error())
		}
		return attrs
	}
	_, err := openFile(ctx, path, logSchema, o, func(f *File) error {
		d = &DB{File: f, seal: o.Seal, answers: -1}
		f.undone = func() { d.renames, d.ids, d.answers = nil, nil, -1 } // what was read or counted inside it may not be so
		if err := d.begin(ctx); err != nil {
			return err
		}
		return d.verify(ctx)
	})
	if err != nil {
		return nil, err
	}
	if moved {
		before = 0 // the warning of the damage is enough
	}
	if err := d.compare(o, before, errors.Is(missing, fs.ErrNotExist)); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, d.warnOfKeys(ctx, o)
}

// warnOfKeys warns when the keys of texts in the store were deleted: a new one was made just now.
func (d *DB) warnOfKeys(ctx context.Context, o Options) error {
	if o.Seal == nil || !o.Seal.fresh.Swap(false) || o.Log == nil {
		return nil
	}
	var any bool
	if _, err := d.Scan(ctx, "SELECT EXISTS (SELECT 1 FROM events WHERE counted IS NULL AND text IS NOT NULL)", nil, &any); err != nil {
		return errors.Join(err, d.Close())
	}
	if any {
		o.Log.Warn(keysWarning, "file", d.path)
	}
	return nil
}

// begin reads what is kept in memory: the number of the last batch, and whether anything was ever forgotten.
func (d *DB) begin(ctx context.Context) error {
	v, err := d.Meta(ctx, metaSeq)
	if err != nil {
		return err
	}
	seq, err := parseSeq(v)
	if err != nil && !d.bad.skip(err) {
		return err
	}
	// The number is kept twice. Where they differ, the rows know better: a batch must not get a number that is taken. One of
	// the last rows may have a wrong one.
	var last int64
	_, err = d.Scan(ctx, "SELECT coalesce(max(seq), 0) FROM (SELECT seq FROM events ORDER BY id DESC LIMIT 4) WHERE seq <= ?",
		[]any{int64(maxBatch)}, &last)
	d.seq.Store(max(seq, last))
	return err
}

// verify reads the whole log and the snapshot if the last run met damage: a sound file may still say what cannot be.
func (d *DB) verify(ctx context.Context) error {
	if _, err := os.Stat(d.suspectFile()); err != nil {
		return nil
	}
	if err := d.Replay(ctx, 0, func(int64, []event.Event) error { return nil }); err != nil {
		return err
	}
	_, err := d.LoadSnapshot(ctx, func([]Record) error { return nil })
	return err
}

func parseSeq(v string) (int64, error) {
	if v == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 0 || n > maxBatch {
		return 0, fmt.Errorf("%w: the number of a batch in meta", ErrRow)
	}
	return n, nil
}

// Names of facts in the table meta that belong to this package.
const (
	metaSeq      = "seq"          // number of the last batch
	metaSnapshot = "snapshot_seq" // number of the last batch inside the snapshot
	metaCalendar = "calendar"     // see Calendar
)

const (
	selectMeta = "SELECT value FROM meta WHERE key = ?"
	setMeta    = "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2"
)

// Last is the number of the last batch.
func (d *DB) Last() int64 { return d.seq.Load() }

// Meta returns a small fact, "" if it was never set.
func (d *DB) Meta(ctx context.Context, key string) (v string, err error) {
	_, err = d.Scan(ctx, selectMeta, []any{key}, &v)
	return v, err
}

// SetMeta keeps a small fact, such as the id of the repository. The keys seq, snapshot_seq and calendar are the store's
// own.
func (d *DB) SetMeta(ctx context.Context, key, value string) error {
	if key == metaSeq || key == metaSnapshot || key == metaCalendar {
		return errors.New("set meta: " + key + " belongs to the store: choose another key")
	}
	return d.Write(ctx, "set meta", func(tx *Tx) error { return tx.run([]any{key, value}, setMeta) })
}
