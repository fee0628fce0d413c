package cold

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

//go:embed blobs.sql
var blobSchema string

// BlobOptions are the options of NewBlobs. Path and Now are required.
type BlobOptions struct {
	Path string           // path of the SQLite file
	Now  func() time.Time // the clock for everything that is dated
	Seal *Seal            // seals what is written to disk; nil stores it unsealed
	Log  *slog.Logger     // gets one warning if a file was moved aside; may be nil
	// Called when the open file turns out to be damaged. The next use then begins a new file. May
	// be nil.
	Damaged func()
}

// Blobs is the cache of a repository: one file in which parts of aOa keep data that saves time. It
// has nothing else, so a damaged file is simply replaced by an empty one. Each part is an Owner
// with a Rule. Blobs is safe for concurrent use.
type Blobs struct {
	*lazyFile
	o      BlobOptions
	owners []*Owner
}

// Rule tells how long the blobs of an owner are kept, and what happens if there are too many.
type Rule struct {
	Unused func() time.Duration // the time after which an unused blob is deleted; nil: never
	// Bytes that one session may have; a write beyond it fails with a *QuotaError. 0: no limit.
	Quota int64
	Count int          // number of blobs; beyond it the least recently used ones are deleted; 0: no limit
	Bytes func() int64 // bytes of all blobs; beyond it the least recently used ones are deleted; nil: no limit
	Max   int64        // bytes that one blob's data may have when it is read; 0: maxBlob

	// Active returns when a session was last active elsewhere. The blobs of a session are then
	// deleted together, once all of them are too old. If nil, each blob is deleted by itself.
	Active func(session string) time.Time
	// Names reports whether a blob is about a path. If nil, it is if its Meta or its Data contain
	// the path.
	Names func(v Blob, path string) bool
	// Derived means that the blobs are computed from data that may be forgotten, so every Forget
	// deletes all of them.
	Derived bool
	// Leave writes what the owner holds in memory to disk and drops it, because something is about
	// to be forgotten. nil if the owner holds nothing in memory.
	Leave func(context.Context) error
}

// Owner gives one part of aOa, such as the cache or the stages, access to its own blobs.
type Owner struct {
	b    *Blobs
	name string
	rule Rule
}

// Blob is one value. The caller sets Key, Session, Part, Size, Meta and Data, and Used if it is not
// the present time.
type Blob struct {
	Key     string // unique among the blobs of the owner
	Session string // "" for none
	Part    string // the name under which it is listed; may be ""
	Size    int64  // bytes as the owner counts them
	Created time.Time
	Written time.Time
	Used    time.Time
	Meta    []byte // at most 8 MB; nil if it cannot be read
	Data    []byte // set only by Get
}

// NewBlobs returns a cache that opens its file at the first use, and creates it at the first write.
func NewBlobs(o BlobOptions) *Blobs {
	return &Blobs{o: o, lazyFile: newLazy(o.Path, blobSchema, Options{Now: o.Now, Log: o.Log, Damaged: o.Damaged,
		checked: checkedBlobPages})}
}

// checkedBlobPages is the largest number of pages, 1 MB in all, of a cache that is checked
// completely when it is opened. Damage in a larger one is found when it is read.
const checkedBlobPages = 256

// Owner adds a part. All parts must be added before the first use.
func (b *Blobs) Owner(name string, r Rule) *Owner {
	o := &Owner{b, name, r}
	b.owners = append(b.owners, o)
	return o
}

// delete runs a transaction that deletes blobs and then returns free space to the disk.
func (b *Blobs) delete(ctx context.Context, what string, fn func(tx *Tx) error) error {
	return b.useExisting(ctx, func(f *File) error {
		if err := f.Write(ctx, what, fn); err != nil {
			return err
		}
		return f.GiveBack(ctx)
	})
}

// answersKept is how long the answer of a call is kept in case the call is repeated.
const answersKept = 24 * time.Hour

// Expired counts what Sweep deleted for one owner. Session is set if a whole session was deleted.
type Expired struct {
	Owner, Session string
	Count          int
	Size           int64
}

// SQL statements. ?1 is now. ?2 is a time in the future; a later time comes from a clock that was
// ahead.
const (
	sqlDateBlobs   = "UPDATE blobs SET used = min(used, ?1), active = ?1 WHERE active > ?2 OR used > ?2"
	sqlDropAnswers = "DELETE FROM answers WHERE at < ?1 OR at > ?2"
	sqlOldBlobs    = `SELECT '', count(*), coalesce(sum(size), 0) FROM blobs
WHERE owner = ?1 AND active <= ?2 HAVING count(*) > 0`
	sqlOldSessions = `SELECT session, count(*), sum(size) FROM blobs WHERE owner = ?1
GROUP BY session HAVING max(active) <= ?2`
)

// Sweep deletes blobs that have been unused for longer than their owner's rule allows, and answers
// of calls that can no longer be repeated.
func (b *Blobs) Sweep(ctx context.Context) (gone []Expired, err error) {
	now := b.o.Now()
	err = b.delete(ctx, "sweep the cache", func(tx *Tx) error {
		// Blobs written while the clock was ahead would be kept too long.
		if err := tx.run([]any{now.UnixMilli(), now.Add(24 * time.Hour).UnixMilli()}, sqlDateBlobs); err != nil {
			return err
		}
		gone = nil
		for _, o := range b.owners {
			if o.rule.Unused == nil {
				continue
			}
			old, err := o.sweep(tx, now)
			if gone = append(gone, old...); err != nil {
				return err
			}
		}
		return tx.run([]any{now.Add(-answersKept).UnixMilli(), now.Add(answersKept).UnixMilli()}, sqlDropAnswers)
	})
	return gone, err
}

// sweep deletes the blobs of one owner that are too old.
func (o *Owner) sweep(tx *Tx, now time.Time) (old []Expired, err error) {
	life := o.rule.Unused()
	before := now.Add(-life).UnixMilli()
	query := sqlOldBlobs
	if o.rule.Active != nil {
		query = sqlOldSessions
	}
	err = tx.Each(query, []any{o.name, before}, func(r Row) error {
		e := Expired{Owner: o.name}
		err := r.Scan(&e.Session, &e.Count, &e.Size)
		if err == nil && (o.rule.Active == nil || now.Sub(o.rule.Active(e.Session)) >= life) {
			old = append(old, e)
		}
		return err
	})
	for _, e := range old {
		switch {
		case err != nil:
		case o.rule.Active == nil:
			err = tx.run([]any{o.name, before}, "DELETE FROM blobs WHERE owner = ? AND active <= ?")
		default:
			err = tx.run([]any{o.name, e.Session}, sqlDropSession)
		}
	}
	return old, err
}

// Forget deletes, for every owner, the blobs of a session, those written since a time, or those
// about a path. A blob that cannot be read may be about the path, so it is deleted, too. It returns
// the number of deleted blobs by owner. Their bytes remain in the file until Scrub.
func (b *Blobs) Forget(ctx context.Context, f ForgetFilter) (gone map[string]int, err error) {
	for _, o := range b.owners {
		if o.rule.Leave != nil {
			err = errors.Join(err, o.rule.Leave(ctx))
		}
	}
	gone = map[string]int{}
	err = errors.Join(err, b.useExisting(ctx, func(file *File) error {
		for _, o := range b.owners {
			ids, err := o.meant(ctx, file, f)
			if err != nil {
				return err
			}
			gone[o.name] = len(ids)
			err = file.Write(ctx, "forget cached things", func(tx *Tx) error {
				for _, id := range ids {
					if err := tx.run([]any{id}, "DELETE FROM blobs WHERE id = ?"); err != nil {
						return err
					}
				}
				return tx.run(nil, "DELETE FROM answers") // answers may contain anything
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	return gone, err
}

// Scrub overwrites the bytes of deleted blobs; see File.Scrub.
func (b *Blobs) Scrub(ctx context.Context) error {
	return b.useExisting(ctx, func(f *File) error { return f.Scrub(ctx) })
}

// meant returns the ids of the blobs that are to be forgotten.
func (o *Owner) meant(ctx context.Context, file *File, f ForgetFilter) (ids []int64, err error) {
	query := sqlBlobs
	if f.Path != "" && !o.rule.Derived {
		query = sqlWithData
	}
	err = file.Each(ctx, query+"WHERE owner = ?", []any{o.name}, func(r Row) error {
		v, id, failed := o.scan(file, r)
		if id == 0 {
			return failed
		}
		if o.rule.Derived || f.Session != "" && v.Session == f.Session || !f.Since.IsZero() && !v.Written.Before(f.Since) ||
			f.Path != "" && (failed != nil || o.names(v, string(f.Path))) {
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("forget cached things: %w", err)
	}
	return ids, err
}
