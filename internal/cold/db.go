package cold

import (
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"github.com/aoa-dev/aoa/internal/event"
)

//go:embed schema.sql
var schema string

// DB is the open event log. It is safe for concurrent use.
type DB struct {
	*File
	seal    *Seal        // of texts; nil: they are stored open
	version atomic.Int64 // grows with every change of what History reads

	copying sync.Mutex                         // held while the copy is made or deleted
	callOff atomic.Pointer[context.CancelFunc] // of the copy that is being made, or was last

	// Only the writing goroutine uses these fields.
	ids map[event.Path]int64 // some of them; a transaction that fails takes them with it

	// MadeAgain says that Open had to begin it anew, or to take its copy: git history and past
	// sessions may be missing in it. Nothing that was forgotten comes back with them.
	MadeAgain bool
}

// Open opens the log. It is OpenFile, but that the daily copy takes the place of a log that is
// damaged or gone, see restore.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	// The log is asked all day: it keeps more pages than other files, and more readers, each with
	// its own cache.
	o.cache, o.readers = 4000, 4
	o, path, err := o.complete(path)
	if err != nil {
		return nil, err
	}
	was := lookBefore(path)
	o.cut, o.Expected = cutLogWarning, o.Expected || was.mark > 0
	var d *DB
	if !was.file && exists(path+copySuffix) {
		err = errGone
	} else {
		d, err = tryDB(ctx, path, o)
	}
	if unusable(err) {
		d, err = restore(ctx, path, o, max(was.mark, 0), err)
		was = before{file: true} // one warning is enough
	}
	if err != nil {
		return nil, err
	}
	if err := errors.Join(d.compare(o, was), d.noteKey(ctx, o)); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// tryDB opens the log as it is.
func tryDB(ctx context.Context, path string, o Options) (*DB, error) {
	var d *DB
	_, err := tryFile(ctx, path, schema, o, func(f *File) error {
		d = &DB{File: f, seal: o.Seal}
		f.undone = func() { d.ids = nil } // ids that were read inside the transaction may not exist after it
		return d.begin(ctx)
	})
	return d, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// noteKey records which key seals new texts. It warns once if the key of earlier texts is missing.
func (d *DB) noteKey(ctx context.Context, o Options) error {
	if o.Seal == nil {
		return nil
	}
	before, err := d.Meta(ctx, metaKey)
	if err != nil || before == o.Seal.name() {
		return err
	}
	var any bool
	if _, err := d.Scan(ctx, "SELECT EXISTS (SELECT 1 FROM events WHERE counted IS NULL AND text IS NOT NULL)", nil,
		&any); err != nil {
		return err
	}
	if any && before != "" && !o.Seal.opens(before) {
		o.warn(keyWarning, "file", o.Seal.File)
	}
	_ = d.SetMeta(ctx, metaKey, o.Seal.name()) // where the disk cannot be written, the next start warns again
	return nil
}

// begin reads the number of the last batch, which SQLite keeps. Where the rows are beyond it, they
// are right.
func (d *DB) begin(ctx context.Context) error {
	var last int64
	_, err := d.Scan(ctx, `SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0),
  coalesce((SELECT max(id) FROM events), 0))`, nil, &last)
	d.seq.Store(last)
	return err
}

// advance makes the next batch's number greater than seq. Nobody may append meanwhile.
func (d *DB) advance(ctx context.Context, seq int64) error {
	if seq <= d.Last() {
		return nil
	}
	err := d.Write(ctx, "number batches", func(tx *Tx) error {
		return tx.run([]any{seq}, "DELETE FROM sqlite_sequence WHERE name = 'events' AND ?1 > 0",
			"INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?1)")
	})
	if err == nil {
		d.committed(seq)
	}
	return err
}

// Names of facts in the table meta that belong to this package.
const (
	metaCopied = "copied" // number of the last batch inside the copy
	metaKey    = "key"    // name of the key that seals texts, see noteKey
	metaName   = "writer" // see Name
	metaScrub  = "scrub"  // "1": what was forgotten is to be overwritten
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

// SetMeta keeps a small fact, such as the id of the repository. The store has keys of its own.
func (d *DB) SetMeta(ctx context.Context, key, value string) error {
	if key == metaCopied {
		return errors.New("set meta: " + key + " belongs to the store: choose another key")
	}
	return d.Write(ctx, "set meta", func(tx *Tx) error { return tx.run([]any{key, value}, setMeta) })
}
