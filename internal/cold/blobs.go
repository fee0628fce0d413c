package cold

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"
)

//go:embed blobs.sql
var blobSchema string

// Blobs is the cache of a repository: one file in which parts of aOa keep data that saves time. It
// has nothing else, so a damaged file is simply replaced by an empty one. Each part is an Owner
// with a Rule. Blobs is safe for concurrent use.
type Blobs struct {
	*File
	now    func() time.Time
	seal   *Seal
	owners []*Owner
}

// Rule tells how long the blobs of an owner are kept, and what happens if there are too many.
type Rule struct {
	Unused time.Duration // the time after which an unused blob is deleted; 0: never
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

// Blob is one value. The caller sets Key, Session, Part, Size, Meta and Data, and Written and
// Used if they are not the present time.
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

// OpenBlobs opens a cache, and creates it if it is missing. If it is damaged, or another version of
// aOa made it, a new one takes its place.
func OpenBlobs(ctx context.Context, path string, o Options) (*Blobs, error) {
	o.checked = cmp.Or(o.checked, checkedBlobPages)
	f, err := openFile(ctx, path, blobSchema, o)
	if err != nil {
		return nil, err
	}
	return &Blobs{File: f, now: o.Now, seal: o.Seal}, nil
}

// checkedBlobPages is the largest number of pages, 1 MB in all, of a cache that is checked
// completely when it is opened.
const checkedBlobPages = 256

// Owner adds a part. All parts must be added before the first use.
func (b *Blobs) Owner(name string, r Rule) *Owner {
	o := &Owner{b, name, r}
	b.owners = append(b.owners, o)
	return o
}

// Sweep deletes blobs that have been unused for longer than their owner's rule allows. It returns
// their number by owner.
func (b *Blobs) Sweep(ctx context.Context) (gone map[string]int, err error) {
	gone = map[string]int{}
	err = b.delete(ctx, "sweep the cache", func(tx *Tx) error {
		for _, o := range b.owners {
			if o.rule.Unused == 0 {
				continue
			}
			if err := o.sweep(tx, gone); err != nil {
				return err
			}
		}
		return nil
	})
	return gone, err
}

// sweep deletes the blobs of one owner that are too old.
func (o *Owner) sweep(tx *Tx, gone map[string]int) error {
	now := o.b.now()
	before := now.Add(-o.rule.Unused)
	old := "SELECT '', count(*) FROM blobs WHERE owner = ?1 AND used <= ?2 HAVING count(*) > 0"
	if o.rule.Active != nil {
		old = "SELECT session, count(*) FROM blobs WHERE owner = ?1 GROUP BY session HAVING max(used) <= ?2"
	}
	return tx.Each(old, []any{o.name, before.UnixMilli()}, func(r Row) error {
		var session string
		var n int
		if err := r.Scan(&session, &n); err != nil || o.rule.Active != nil && o.rule.Active(session).After(before) {
			return err
		}
		gone[o.name] += n
		return tx.run([]any{o.name, before.UnixMilli(), session},
			"DELETE FROM blobs WHERE owner = ?1 AND used <= ?2 AND (?3 = '' OR session = ?3)")
	})
}

// delete runs a transaction that deletes blobs, and then returns free space to the disk.
func (b *Blobs) delete(ctx context.Context, what string, fn func(tx *Tx) error) error {
	if err := b.Write(ctx, what, fn); err != nil {
		return err
	}
	return b.GiveBack(ctx)
}

// Forget deletes, for every owner, the blobs of a session, those written since a time, or those
// about a path. A blob that cannot be read may be about the path, so it is deleted, too. It returns
// the number of deleted blobs by owner. Their bytes remain in the file until Scrub.
func (b *Blobs) Forget(ctx context.Context, f ForgetFilter) (gone map[string]int, err error) {
	gone = map[string]int{}
	var all []any
	for _, o := range b.owners {
		if o.rule.Leave != nil {
			err = errors.Join(err, o.rule.Leave(ctx))
		}
	}
	for _, o := range b.owners {
		ids, failed := o.meant(ctx, f)
		gone[o.name], all, err = len(ids), append(all, ids...), errors.Join(err, failed)
	}
	if err != nil {
		return nil, err
	}
	return gone, b.Write(ctx, "forget cached things", func(tx *Tx) error {
		// Stores of earlier versions have answers, which may contain anything.
		return errors.Join(tx.many("DELETE FROM blobs WHERE id IN (VALUES %s)", 1, all, nil),
			tx.run(nil, "DELETE FROM answers"))
	})
}

// meant returns the ids of the blobs that are to be forgotten.
func (o *Owner) meant(ctx context.Context, f ForgetFilter) (ids []any, err error) {
	query := sqlBlobs
	if f.Path != "" && !o.rule.Derived {
		query = sqlWithData
	}
	err = o.b.Each(ctx, query+"WHERE owner = ?", []any{o.name}, func(r Row) error {
		v, id, failed := o.scan(r)
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
