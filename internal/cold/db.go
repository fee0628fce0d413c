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

// store is the schema of the DB.
var store = sub(embedded, "sql")

func sub(files fs.FS, dir string) fs.FS {
	out, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // the name is a constant
	}
	return out
}

// DB is an open store. It is safe for concurrent use.
type DB struct {
	*File
	seal    *Seal        // of texts; nil: they are stored open
	seq     atomic.Int64 // number of the last batch
	anyGone atomic.Bool  // the table gone is not empty
	renamed atomic.Int64 // grows with every change of the table renames
	lines   atomic.Pointer[lineage]
	counted atomic.Int64 // grows with every change of what Together counts
	pairs   pairCounts

	marking sync.Mutex  // guards what follows
	marked  int64       // the number in the mark
	opened  os.FileInfo // the file when it was opened

	// These belong to who holds mu. A transaction that fails takes all of them with it.
	hops hops                 // nil: not read yet
	ids  map[event.Path]int64 // short names of files, some of them
	kept int                  // answers in the table; negative: not counted yet
}

const storeWarning = "the store was damaged: it was moved aside and a fresh one begun with the events that could be read; git history is learned again"

// Open is OpenFile for the store: everything that ever happened.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	// The store is asked all day: it keeps more pages than a room's file, and more readers, each with its own cache.
	o.cache, o.readers, o.warning = 4000, 4, storeWarning
	var d *DB
	before, moved := readMark(path), false
	_, missing := os.Stat(path)
	o.moved = func(aside string) []any {
		moved = true
		r, err := d.rescue(ctx, aside)
		said := []any{"events_saved", r.events, "events_known_lost", r.lost}
		if err != nil {
			said = append(said, "saving_failed", err.Error())
		}
		return said
	}
	_, err := openFile(ctx, path, store, o, func(f *File) error {
		d = &DB{File: f, seal: o.Seal, kept: -1}
		f.undone = func() { d.hops, d.ids, d.kept = nil, nil, -1 } // what was read or counted inside it may not be so
		if err := d.begin(ctx); err != nil {
			return err
		}
		return d.acquit(ctx)
	})
	if err != nil {
		return nil, err
	}
	if moved {
		before = 0 // that was said already
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
	if _, err := d.Scan(ctx, "any_sealed", nil, &any); err != nil {
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
	// The number is kept twice. Where they differ, the rows know better: a batch must not get a number that is taken.
	last, err := d.lastBatch(ctx)
	if err != nil {
		return err
	}
	d.seq.Store(max(seq, last))
	var any bool
	if err := d.row(ctx, "any_gone").Scan(&any); err != nil {
		return err
	}
	d.anyGone.Store(any)
	return nil
}

// acquit reads the whole log and the snapshot if the last run met damage: a sound file may still say what cannot be.
func (d *DB) acquit(ctx context.Context) error {
	if _, err := os.Stat(d.suspectFile()); err != nil {
		return nil
	}
	if err := d.Replay(ctx, 0, func(int64, []event.Event) error { return nil }); err != nil {
		return err
	}
	_, err := d.LoadSnapshot(ctx, func([]Record) error { return nil })
	return err
}

// lastBatch is the number of the last batch that has rows.
func (d *DB) lastBatch(ctx context.Context) (last int64, err error) {
	for _, name := range []string{"last_events", "last_lines"} {
		err := d.Each(ctx, name, []any{int64(maxBatch)}, func(row Row) error {
			var batch int64
			err := row.Scan(&batch)
			last = max(last, batch)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return last, nil
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

// writing is one write transaction of the store.
type writing struct {
	Writing
	d *DB
}

// write is Write for the store.
func (d *DB) write(ctx context.Context, what string, fn func(w writing) error) error {
	return d.Write(ctx, what, func(w Writing) error {
		return fn(writing{w, d})
	})
}
