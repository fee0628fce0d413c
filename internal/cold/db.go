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
	seal    *Seal        // seals texts; if nil they are stored unsealed
	version atomic.Int64 // changes with everything that History reads

	copying sync.Mutex // held while the copy is made or deleted
	// cancels the copy that is being made; after that, it does nothing
	callOff atomic.Pointer[context.CancelFunc]

	// Only the goroutine that writes uses these fields.
	ids map[event.Path]int64 // ids of some files; dropped when a transaction fails

	// MadeAgain means that Open had to create a new log or to restore the copy, so git history and
	// past sessions may be missing. Reading them again does not bring back anything that was
	// forgotten.
	MadeAgain bool
}

// Open opens the log like openFile. If the log is damaged or gone, its daily copy takes its place;
// see restore.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	// The log is queried all day, so it gets more cached pages and more readers than other files.
	// Each reader has its own cache.
	o.cache, o.readers = 4000, 4
	o, path, err := o.complete(path)
	if err != nil {
		return nil, err
	}
	was := lookBefore(path)
	o.cut = cutLogWarning
	var d *DB
	if !was.file && exists(path+copySuffix) {
		err = errGone
	} else {
		d, err = tryDB(ctx, path, was, o)
	}
	if err == nil && !was.file && was.mark > 0 {
		o.warn(goneWarning, "file", path, "events", was.mark)
	}
	if unusable(err) {
		d, err = restore(ctx, path, o, max(was.mark, 0), err)
		was = before{file: true} // one warning is enough
	}
	if err != nil {
		return nil, err
	}
	d.compare(o, was)
	if err := d.checkKey(ctx, o); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// lastEvent is the query for the number of the last batch, which SQLite keeps. If there are rows with
// higher numbers, these count.
const lastEvent = `SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0),
  coalesce((SELECT max(id) FROM events), 0))`

// tryDB opens the log without repairing it.
func tryDB(ctx context.Context, path string, was before, o Options) (*DB, error) {
	f, err := tryFile(ctx, path, schema, lastEvent, was, o)
	if err != nil {
		return nil, err
	}
	d := &DB{File: f, seal: o.Seal}
	f.undone = func() { d.ids = nil } // ids that were read inside of the undone transaction may not exist
	return d, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// checkKey warns if the key of the newest text is missing.
func (d *DB) checkKey(ctx context.Context, o Options) error {
	var id string
	var text []byte
	const newest = "SELECT name, text FROM events WHERE counted IS NULL AND text IS NOT NULL ORDER BY time DESC LIMIT 1"
	found, err := d.Scan(ctx, newest, nil, &id, &text)
	if o.Seal == nil || err != nil || !found {
		return err
	}
	if _, err := o.Seal.Open(textOf(id), text); keyLost(err) {
		o.warn(keyWarning, "file", o.Seal.File)
	}
	return nil
}

// advance makes sure that the number of the next batch is greater than seq. The caller prevents
// appends meanwhile.
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

// Keys in the table meta that belong to this package.
const (
	metaCopied = "copied" // number of the last batch in the copy
	metaName   = "writer" // see Name
	metaScrub  = "scrub"  // "1" while bytes of forgotten data still have to be overwritten
)

const (
	selectMeta = "SELECT value FROM meta WHERE key = ?"
	setMeta    = "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2"
)

// Last returns the number of the last batch.
func (d *DB) Last() int64 { return d.seq.Load() }

// Meta returns the value of a key in the table meta, "" if it was never set.
func (d *DB) Meta(ctx context.Context, key string) (v string, err error) {
	_, err = d.Scan(ctx, selectMeta, []any{key}, &v)
	return v, err
}

// SetMeta stores a small value under a key, such as the id of the repository.
func (d *DB) SetMeta(ctx context.Context, key, value string) error {
	return d.Write(ctx, "set meta", func(tx *Tx) error { return tx.run([]any{key, value}, setMeta) })
}
