package cold

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// SQL statements.
const (
	sqlBlobs    = "SELECT id, key, session, part, size, created, written, used, meta, NULL FROM blobs "
	sqlWithData = "SELECT id, key, session, part, size, created, written, used, meta, data FROM blobs "
	// Parameters: ?1 owner, ?2 session, ?3 part and ?4 key, or '' for any, ?5 time of the last write.
	sqlSelected = "WHERE owner = ?1 AND (?2 = '' OR session = ?2) AND (?3 = '' OR part = ?3) AND (?4 = '' OR key = ?4) " +
		"AND written <= ?5"
	// The column active is no longer used.
	sqlPutBlob = `INSERT INTO blobs (owner, key, session, part, size, created, written, used, active, meta, data)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?7, ?8, ?9)
ON CONFLICT (owner, key) DO UPDATE SET session = ?3, part = ?4, size = ?5, written = ?6, used = ?7, meta = ?8, data = ?9`
	sqlUseBlob = "UPDATE blobs SET used = max(used, ?3), meta = coalesce(?4, meta) WHERE owner = ?1 AND key = ?2"
)

// Selection selects blobs. Fields that are zero select everything.
type Selection struct {
	Session, Part, Key string
	Until              time.Time // only blobs that were not written after this
	Limit              int       // the largest number of blobs that List returns; 0: all
	LeastUsed          bool      // List has blobs used longest ago first, instead of those written last
	All                bool      // Drop may delete every blob of the owner
}

func (q Selection) args(owner string) []any {
	until := int64(math.MaxInt64)
	if !q.Until.IsZero() {
		until = q.Until.UnixMilli()
	}
	return []any{owner, q.Session, q.Part, q.Key, until}
}

// ErrExists means that Add found a blob with the same key.
var ErrExists = errors.New("there is a blob with that key")

// QuotaError is the error of a write that would exceed a session's quota.
type QuotaError struct {
	Session            string
	Used, Asked, Limit int64 // bytes: used before the write, additionally asked for, and allowed
}

func (e *QuotaError) Error() string {
	return fmt.Sprintf("quota of session %.60s: %d bytes used, %d asked, %d allowed", e.Session, e.Used, e.Asked, e.Limit)
}

// names reports whether a blob is about a path.
func (o *Owner) names(v Blob, path string) bool {
	if o.rule.Names != nil {
		return o.rule.Names(v, path)
	}
	return bytes.Contains(v.Data, []byte(path)) || bytes.Contains(v.Meta, []byte(path))
}

// scan reads a row of sqlBlobs or sqlWithData. Meta or Data that cannot be opened are nil; err then
// tells why, and the other fields are valid.
func (o *Owner) scan(r Row) (v Blob, id int64, err error) {
	var created, written, used int64
	err = r.Scan(&id, &v.Key, &v.Session, &v.Part, &v.Size, &created, &written, &used, &v.Meta, &v.Data)
	if err != nil {
		return Blob{}, 0, err
	}
	v.Created, v.Written, v.Used = moment(created), moment(written), moment(used)
	err = o.open(&v)
	o.b.bad.skip(err)
	return v, id, err
}

// Get returns a blob with its data. The error wraps ErrRow if the blob is damaged, and ErrLostKey
// if its key is missing.
func (o *Owner) Get(ctx context.Context, key string) (v Blob, found bool, err error) {
	var failed error
	err = o.b.Each(ctx, sqlWithData+"WHERE owner = ? AND key = ?", []any{o.name, key}, func(r Row) error {
		var id int64
		v, id, failed = o.scan(r)
		found = id != 0
		return nil
	})
	return v, found, errors.Join(err, failed)
}

// List returns blobs without their data.
func (o *Owner) List(ctx context.Context, q Selection) (out []Blob, err error) {
	order := " ORDER BY written DESC, id DESC"
	if q.LeastUsed {
		order = " ORDER BY used, id"
	}
	if q.Limit > 0 {
		order += fmt.Sprint(" LIMIT ", q.Limit)
	}
	err = o.b.Each(ctx, sqlBlobs+sqlSelected+order, q.args(o.name), func(r Row) error {
		v, id, err := o.scan(r)
		if id != 0 {
			out, err = append(out, v), nil // its meta may be missing
		}
		return err
	})
	return out, err
}

const sqlCount = "SELECT count(*), coalesce(sum(size), 0) FROM blobs "

// Count returns the number of the selected blobs and the sum of their sizes.
func (o *Owner) Count(ctx context.Context, q Selection) (n int, size int64, err error) {
	_, err = o.b.Scan(ctx, sqlCount+sqlSelected, q.args(o.name), &n, &size)
	return n, size, err
}

// Drop deletes the selected blobs. It returns their number and the sum of their sizes. Without a
// session, a part and a key it deletes nothing, unless All is set: an id that is empty by mistake
// must not mean everything.
func (o *Owner) Drop(ctx context.Context, q Selection) (n int, size int64, err error) {
	if q.Session == "" && q.Part == "" && q.Key == "" && !q.All {
		return 0, 0, nil
	}
	err = o.b.delete(ctx, "delete cached things", func(tx *Tx) error {
		if _, err := tx.Scan(sqlCount+sqlSelected, q.args(o.name), &n, &size); err != nil || n == 0 {
			return err
		}
		return tx.run(q.args(o.name), "DELETE FROM blobs "+sqlSelected)
	})
	return n, size, err
}

// Use records that a blob was used now, and replaces its meta if meta is not nil. If there is no such
// blob, or the disk cannot be written, it does nothing.
func (o *Owner) Use(ctx context.Context, key string, meta []byte) error {
	if meta != nil {
		meta = o.pack(Blob{Key: key, Meta: meta}).Meta
	}
	err := o.b.Write(ctx, "note a use", func(tx *Tx) error {
		return tx.run([]any{o.name, key, o.b.now().UnixMilli(), meta}, sqlUseBlob)
	})
	if errors.Is(err, ErrFull) || errors.Is(err, ErrReadOnly) {
		return nil
	}
	return err
}

// Put writes blobs in one transaction and applies the owner's Rule. It replaces blobs with the same
// keys. If a session exceeds its quota, the error is a *QuotaError and nothing is kept. If the owner
// has too many blobs, the least recently used ones are deleted and their keys returned.
func (o *Owner) Put(ctx context.Context, blobs ...Blob) (dropped []string, err error) {
	return o.put(ctx, false, blobs)
}

// Add is like Put, but if there is a blob with the same key, the error is ErrExists.
func (o *Owner) Add(ctx context.Context, v Blob) error {
	_, err := o.put(ctx, true, []Blob{v})
	return err
}

func (o *Owner) put(ctx context.Context, fresh bool, blobs []Blob) (dropped []string, err error) {
	packed := make([]Blob, len(blobs)) // before the transaction, because it takes long
	for i, v := range blobs {
		packed[i] = o.pack(v)
	}
	err = o.b.Write(ctx, "write to the cache", func(tx *Tx) error {
		now, grown := o.b.now(), map[string]int64{}
		for _, v := range packed {
			var size int64
			var session string
			known, err := tx.Scan("SELECT size, session FROM blobs WHERE owner = ? AND key = ?", []any{o.name, v.Key}, &size,
				&session)
			if err != nil {
				return err
			}
			if known && fresh {
				return ErrExists
			}
			grown[session] -= size
			grown[v.Session] += v.Size
			for _, at := range []*time.Time{&v.Written, &v.Used} {
				if at.IsZero() {
					*at = now
				}
			}
			if err := tx.run([]any{o.name, v.Key, v.Session, v.Part, v.Size, v.Written.UnixMilli(), v.Used.UnixMilli(), v.Meta,
				v.Data}, sqlPutBlob); err != nil {
				return err
			}
		}
		if err := o.checkQuota(tx, grown); err != nil {
			return err
		}
		dropped, err = o.makeRoom(tx)
		return err
	})
	return dropped, err
}

// checkQuota returns an error if a session has become too large. A session that did not grow may
// remain too large.
func (o *Owner) checkQuota(tx *Tx, grown map[string]int64) error {
	for session, grown := range grown {
		if o.rule.Quota == 0 || grown <= 0 {
			continue
		}
		var n int
		var used int64
		if _, err := tx.Scan(sqlCount+sqlSelected, Selection{Session: session}.args(o.name), &n, &used); err != nil {
			return err
		}
		if used > o.rule.Quota {
			return &QuotaError{Session: session, Used: used - grown, Asked: grown, Limit: o.rule.Quota}
		}
	}
	return nil
}

// makeRoom deletes the least recently used blobs until the owner keeps to its rule.
func (o *Owner) makeRoom(tx *Tx) (dropped []string, err error) {
	var count int
	var size int64
	if _, err := tx.Scan(sqlCount+sqlSelected, Selection{}.args(o.name), &count, &size); err != nil {
		return nil, err
	}
	r := o.rule
	over := func() bool { return r.Count > 0 && count > r.Count || r.Bytes != nil && size > r.Bytes() }
	for err == nil && over() {
		var key string
		var n int64
		if _, err = tx.Scan("SELECT key, size FROM blobs WHERE owner = ? ORDER BY used, id LIMIT 1", []any{o.name}, &key,
			&n); err == nil {
			dropped, count, size = append(dropped, key), count-1, size-n
			err = tx.run([]any{o.name, key}, "DELETE FROM blobs WHERE owner = ? AND key = ?")
		}
	}
	return dropped, err
}
