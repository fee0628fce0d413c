package cold

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Eraser removes what is to be forgotten from the log, the cache, and the bytes of both files. The intention
// is in the log before anything is deleted, and goes when nothing is left to do: a crash, a full disk, or another program
// that reads the old bytes leaves it for the next Finish. DB, Blobs and Now are needed.
type Eraser struct {
	DB    *DB
	Blobs *Blobs
	Now   func() time.Time
	// Exclusive runs a function while nothing is appended and everything before is applied. Once forgot is true, what
	// consumers have in memory is not to be saved any more. nil: nothing else uses the stores.
	Exclusive func(ctx context.Context, fn func() (forgot bool, err error)) error
	// Others forgets elsewhere. It may be called again with the same filter.
	Others func(ctx context.Context, f ForgetFilter) error

	erasing sync.Mutex // held while something is forgotten

	mu  sync.Mutex // guards err
	err error      // why something is not forgotten yet
}

// intention is a request to forget. done means that it is out of log and cache, and only its old bytes are left; it
// names nothing then.
type intention struct {
	id     int64
	done   bool
	filter ForgetFilter
}

// Statements.
const (
	sqlIntend = "INSERT INTO forgets (path, session, since, asked, done) VALUES (?, ?, ?, ?, ?) RETURNING id"
	sqlErased = "UPDATE forgets SET path = '', session = '', since = 0, done = 1 WHERE id = ?"
)

// Forget removes what f names and has happened until now. After an error, Finish goes on with it.
func (r *Eraser) Forget(ctx context.Context, f ForgetFilter) (gone Forgotten, err error) {
	if err := f.Check(); err != nil {
		return gone, err
	}
	r.erasing.Lock()
	defer r.erasing.Unlock()
	f.Until = r.Now()
	id, err := r.DB.intend(ctx, f, false)
	if err != nil {
		return gone, fmt.Errorf("nothing was forgotten: %w", err)
	}
	// The intention is on the disk: a caller that goes away does not end it half done.
	gone, err = r.erase(context.WithoutCancel(ctx), intention{id: id, filter: f})
	if err != nil {
		r.note(err)
	}
	return gone, err
}

// Finish does what is left of all requests. Unfinished has its error afterwards, too.
func (r *Eraser) Finish(ctx context.Context) error {
	r.erasing.Lock()
	defer r.erasing.Unlock()
	pending, err := r.DB.intentions(ctx)
	for _, e := range pending {
		_, failed := r.erase(ctx, e)
		err = errors.Join(err, failed)
	}
	r.note(err)
	return err
}

func (r *Eraser) exclusive(ctx context.Context, fn func() (forgot bool, err error)) error {
	if r.Exclusive == nil {
		_, err := fn()
		return err
	}
	return r.Exclusive(ctx, fn)
}

// Unfinished is why something that was to be forgotten is not gone yet; nil: all is.
func (r *Eraser) Unfinished() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

func (r *Eraser) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// erase does what is left of a request. The cache comes first: the log holds the intention, and a snapshot that is gone
// is made again. r.erasing is held.
func (r *Eraser) erase(ctx context.Context, e intention) (gone Forgotten, err error) {
	if !e.done {
		err := r.exclusive(ctx, func() (bool, error) {
			if r.Others != nil {
				if err := r.Others(ctx, e.filter); err != nil {
					return false, err
				}
			}
			cached, err := r.Blobs.Forget(ctx, e.filter)
			if err == nil {
				gone, err = r.DB.forget(ctx, e.filter, e.id)
			}
			gone.Cached = cached
			return err == nil, err
		})
		if err != nil {
			return gone, fmt.Errorf("not forgotten yet, it is tried again every minute and at every start: %w", err)
		}
	}
	if err := r.scrub(ctx); err != nil {
		return gone, fmt.Errorf("forgotten, but the bytes are still on the disk, aOa overwrites them when it can: %w", err)
	}
	return gone, r.DB.Write(ctx, "end forgetting", func(tx *Tx) error {
		return tx.run([]any{e.id}, "DELETE FROM forgets WHERE id = ?")
	})
}

// scrub overwrites the bytes of what was deleted, and deletes the files that were moved aside.
func (r *Eraser) scrub(ctx context.Context) error {
	return errors.Join(removeAside(filepath.Dir(r.DB.path)), r.Blobs.Scrub(ctx), r.DB.Scrub(ctx))
}

// ForgetPeers deletes the events of other clones that are meant. It needs no intention: who asked for it asks again. What
// was learned from them stays in memory until the next start, which learns from what is left: another clone must not make
// this one start again.
func (r *Eraser) ForgetPeers(ctx context.Context, meant func(event.Event) bool) (gone int, err error) {
	r.erasing.Lock()
	defer r.erasing.Unlock()
	err = r.exclusive(ctx, func() (bool, error) {
		var found []logged
		err := r.DB.Write(ctx, "read events of peers", func(tx *Tx) (err error) {
			found, err = r.DB.logged(tx, func(l logged) bool { return l.bad || meant(l.event) },
				"SELECT "+rowColumns+" FROM events WHERE counted = 2 ORDER BY id")
			return err
		})
		if err != nil || len(found) == 0 {
			return false, err
		}
		unlock, err := r.DB.dropCopy()
		defer unlock()
		if err == nil {
			err = r.DB.Write(ctx, "forget events of peers", func(tx *Tx) error {
				return errors.Join(r.DB.drop(tx, found), tx.run([]any{metaForgot, rand.Text()}, setMeta))
			})
		}
		if err == nil {
			gone = len(found)
		}
		return false, err
	})
	return gone, err
}

// intend writes an intention to the disk.
func (d *DB) intend(ctx context.Context, f ForgetFilter, done bool) (id int64, err error) {
	since := int64(0)
	if !f.Since.IsZero() {
		since = f.Since.UnixMilli()
	}
	err = d.Write(ctx, "intend to forget", func(tx *Tx) error {
		_, err := tx.Scan(sqlIntend, []any{string(f.Path), f.Session, since, f.Until.UnixMilli(), done}, &id)
		return err
	})
	if err == nil && !d.full {
		if err = syncFile(d.path + "-wal"); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return id, err
}

// intentions are the requests that are not finished.
func (d *DB) intentions(ctx context.Context) (out []intention, err error) {
	err = d.Each(ctx, "SELECT id, path, session, since, asked, done FROM forgets ORDER BY id", nil, func(row Row) error {
		var e intention
		var since, asked int64
		err := row.Scan(&e.id, (*string)(&e.filter.Path), &e.filter.Session, &since, &asked, &e.done)
		if since != 0 {
			e.filter.Since = moment(since)
		}
		e.filter.Until = moment(asked)
		if err == nil && !e.done {
			if cerr := e.filter.Check(); cerr != nil {
				err = fmt.Errorf("%w: a request to forget: %w", ErrRow, cerr)
			}
		}
		if err == nil {
			out = append(out, e)
		}
		return err
	})
	return out, err
}
