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

// BlobOptions of NewBlobs. Path and Now are required.
type BlobOptions struct {
	Path    string           // of the SQLite file
	Now     func() time.Time // for everything that is dated
	Seal    *Seal            // seals what is on disk; nil stores it open
	Log     *slog.Logger     // gets one warning when a file was moved aside; may be nil
	Damaged func()           // called when the open file meets damage: the next use begins a fresh one; may be nil
}

// Blobs is the cache of a repository: one file in which the parts of aOa keep what saves time.
// Nothing else is in it, so a damaged file is replaced by an empty one. Each part is an Owner with
// a Rule. It is safe for concurrent use.
type Blobs struct {
	*lazyFile
	o      BlobOptions
	owners []*Owner
}

// Rule says how long an owner's blobs stay, and what happens when there are too many.
type Rule struct {
	Unused func() time.Duration // after which a blob that was not used is dropped; nil: never
	Quota  int64                // bytes of one session: what exceeds it is refused with a *QuotaError; 0: any
	Count  int                  // blobs: those used least recently are dropped; 0: any
	Bytes  func() int64         // of all blobs: those used least recently are dropped; nil: any
	Max    int64                // bytes of one blob's data when it is read; 0: maxBlob

	// Active is when a session was last active elsewhere. The blobs of a session are then dropped
	// together, when all of it is old. nil: each is dropped by itself.
	Active func(session string) time.Time
	// Names reports whether a blob holds a path; nil: its Meta or its Data contain it.
	Names func(v Blob, path string) bool
	// Derived says that the blobs are made of what is forgotten: every Forget takes all of them.
	Derived bool
	// Leave writes what the owner holds in memory and drops it: something is forgotten next. nil:
	// it holds nothing.
	Leave func(context.Context) error
}

// Owner gives one part of aOa, as the cache or the stages, access to its own blobs.
type Owner struct {
	b    *Blobs
	name string
	rule Rule
}

// Blob is one value. The caller sets Key, Session, Part, Size, Meta and Data, and Used if that is
// not the present.
type Blob struct {
	Key     string // its name among those of the owner
	Session string // "": none
	Part    string // what it is listed by; ""
	Size    int64  // bytes as the owner counts them
	Created time.Time
	Written time.Time
	Used    time.Time
	Meta    []byte // small, at most 8 MB; nil where it cannot be read
	Data    []byte // only from Get
}

// NewBlobs opens nothing: the file is made at the first write.
func NewBlobs(o BlobOptions) *Blobs {
	return &Blobs{o: o, lazyFile: newLazy(o.Path, blobSchema, Options{Now: o.Now, Log: o.Log, Damaged: o.Damaged,
		checked: checkedBlobPages})}
}

// checkedBlobPages is how large a cache is read whole when it is opened: 1 MB. Reading finds what
// is damaged in the rest.
const checkedBlobPages = 256

// Owner adds a part. All are added before the first use.
func (b *Blobs) Owner(name string, r Rule) *Owner {
	o := &Owner{b, name, r}
	b.owners = append(b.owners, o)
	return o
}

// delete deletes what a transaction names and returns space to the disk.
func (b *Blobs) delete(ctx context.Context, what string, fn func(tx *Tx) error) error {
	return b.useExisting(ctx, func(f *File) error {
		if err := f.Write(ctx, what, fn); err != nil {
			return err
		}
		return f.GiveBack(ctx)
	})
}

// answersKept is how long a call may arrive a second time.
const answersKept = 24 * time.Hour

// Expired counts what Sweep deleted for one owner. Session is set if a whole session was deleted.
type Expired struct {
	Owner, Session string
	Count          int
	Size           int64
}

// Statements. ?1 is now, ?2 a time in the future, of a clock that ran ahead.
const (
	sqlDateBlobs   = "UPDATE blobs SET used = min(used, ?1), active = ?1 WHERE active > ?2 OR used > ?2"
	sqlDropAnswers = "DELETE FROM answers WHERE at < ?1 OR at > ?2"
	sqlOldBlobs    = `SELECT '', count(*), coalesce(sum(size), 0) FROM blobs
WHERE owner = ?1 AND active <= ?2 HAVING count(*) > 0`
	sqlOldSessions = `SELECT session, count(*), sum(size) FROM blobs WHERE owner = ?1
GROUP BY session HAVING max(active) <= ?2`
)

// Sweep deletes blobs that were not used for as long as their owner keeps them, and answers whose
// call can no longer be repeated.
func (b *Blobs) Sweep(ctx context.Context) (gone []Expired, err error) {
	now := b.o.Now()
	err = b.delete(ctx, "sweep the cache", func(tx *Tx) error {
		// What was written under a clock that ran ahead would stay for as long.
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

// sweep drops what is too old of one owner.
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

// Forget deletes the blobs of a session, those written since a time, or those that hold a path, of
// every owner. What cannot be read may hold it, and goes. It returns how many went, by owner. The
// bytes are in the file until Scrub.
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
				return tx.run(nil, "DELETE FROM answers") // they may name anything
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	return gone, err
}

// Scrub overwrites what was deleted, see File.Scrub.
func (b *Blobs) Scrub(ctx context.Context) error {
	return b.useExisting(ctx, func(f *File) error { return f.Scrub(ctx) })
}

// meant are the blobs that are to be forgotten.
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
