package cold

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// SQL statements.
const (
	sqlBlobs    = "SELECT id, key, session, part, size, created, written, used, meta, NULL FROM blobs "
	sqlWithData = "SELECT id, key, session, part, size, created, written, used, meta, data FROM blobs "
	// Parameters: ?1 owner, ?2 session or '', ?3 part or ''.
	sqlSelected = "WHERE owner = ?1 AND (?2 = '' OR session = ?2) AND (?3 = '' OR part = ?3)"
	sqlPutBlob  = `INSERT INTO blobs (owner, key, session, part, size, created, written, used, active, meta, data)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?7, ?8, ?9)
ON CONFLICT (owner, key) DO UPDATE
SET session = ?3, part = ?4, size = ?5, written = ?6, used = ?7, active = ?7, meta = ?8, data = ?9`
	sqlUseBlob = "UPDATE blobs SET used = max(used, ?3), active = max(active, ?3) WHERE owner = ?1 AND key = ?2"
	sqlSetMeta = `UPDATE blobs SET used = max(used, ?3), active = max(active, ?3), meta = ?4 WHERE owner = ?1 AND key = ?2`
	// Updating one row is enough, because a session is as old as its row that was used last.
	sqlTouchSession = `UPDATE blobs SET active = max(active, ?3)
WHERE id = (SELECT id FROM blobs WHERE owner = ?1 AND session = ?2 ORDER BY active DESC LIMIT 1)`
	sqlDropSession = "DELETE FROM blobs WHERE owner = ? AND session = ?"
)

// Selection selects blobs. Fields that are zero select everything.
type Selection struct {
	Session, Part string
	Limit         int  // the largest number of blobs; 0: all
	LeastUsed     bool // blobs used longest ago come first, instead of those written last
}

func (q Selection) args(owner string) []any {
	return []any{owner, q.Session, q.Part}
}

// QuotaError is the error of a write that would exceed a session's quota.
type QuotaError struct {
	Session            string
	Used, Asked, Limit int64 // bytes: used before the write, additionally asked for, and allowed
}

func (e *QuotaError) Error() string {
	return fmt.Sprintf("quota of session %.60s: %d bytes used, %d asked, %d allowed", e.Session, e.Used, e.Asked, e.Limit)
}

// Exists reports whether the file exists. It does not create it.
func (o *Owner) Exists() bool { return o.b.Exists() }

// names reports whether a blob is about a path.
func (o *Owner) names(v Blob, path string) bool {
	if o.rule.Names != nil {
		return o.rule.Names(v, path)
	}
	return bytes.Contains(v.Data, []byte(path)) || bytes.Contains(v.Meta, []byte(path))
}

// scan reads a row of sqlBlobs or sqlWithData. Meta or Data that cannot be opened are nil; err then
// tells why, and the other fields are valid.
func (o *Owner) scan(f *File, r Row) (v Blob, id int64, err error) {
	var created, written, used int64
	err = r.Scan(&id, &v.Key, &v.Session, &v.Part, &v.Size, &created, &written, &used, &v.Meta, &v.Data)
	if err != nil {
		return Blob{}, 0, err
	}
	v.Created, v.Written, v.Used = moment(created), moment(written), moment(used)
	err = o.open(&v)
	f.bad.skip(err)
	return v, id, err
}

// Get returns a blob with its data. The error wraps ErrRow if the blob is damaged, and ErrLostKey
// if its key is missing.
func (o *Owner) Get(ctx context.Context, key string) (v Blob, found bool, err error) {
	err = o.b.useExisting(ctx, func(f *File) error {
		var failed error
		err := f.Each(ctx, sqlWithData+"WHERE owner = ? AND key = ?", []any{o.name, key}, func(r Row) error {
			var id int64
			v, id, failed = o.scan(f, r)
			found = id != 0
			return nil
		})
		return errors.Join(err, failed)
	})
	return v, found, err
}

// List returns blobs without their data, and the number of blobs without the limit.
func (o *Owner) List(ctx context.Context, q Selection) (out []Blob, total int, err error) {
	order := " ORDER BY written DESC, id DESC"
	if q.LeastUsed {
		order = " ORDER BY used, id"
	}
	if q.Limit > 0 {
		order += fmt.Sprint(" LIMIT ", q.Limit)
	}
	err = o.b.useExisting(ctx, func(f *File) error {
		err := f.Each(ctx, sqlBlobs+sqlSelected+order, q.args(o.name), func(r Row) error {
			v, id, err := o.scan(f, r)
			if id != 0 {
				out, err = append(out, v), nil // its meta may be missing
			}
			return err
		})
		if err == nil && q.Limit > 0 {
			_, err = f.Scan(ctx, "SELECT count(*) FROM blobs "+sqlSelected, q.args(o.name), &total)
		} else {
			total = len(out)
		}
		return err
	})
	return out, total, err
}

// Use records that a blob was used now. If the disk cannot be written it does nothing.
func (o *Owner) Use(ctx context.Context, key string) error {
	return o.note(ctx, sqlUseBlob, key, o.b.o.Now())
}

// Touch records that a session was active at a time.
func (o *Owner) Touch(ctx context.Context, session string, then time.Time) error {
	return o.note(ctx, sqlTouchSession, session, then)
}

func (o *Owner) note(ctx context.Context, statement, of string, then time.Time) error {
	err := o.b.useExisting(ctx, func(f *File) error {
		return f.Write(ctx, "note a use", func(tx *Tx) error {
			return tx.run([]any{o.name, of, then.UnixMilli()}, statement)
		})
	})
	if errors.Is(err, ErrFull) || errors.Is(err, ErrReadOnly) {
		return nil
	}
	return err
}

// SetMeta replaces the meta of a blob and records that it was used. If there is no such blob it
// does nothing.
func (o *Owner) SetMeta(ctx context.Context, key string, meta []byte) error {
	p := o.Pack(Blob{Key: key, Meta: meta})
	return o.b.useExisting(ctx, func(f *File) error {
		return f.Write(ctx, "note a use", func(tx *Tx) error {
			return tx.run([]any{o.name, key, o.b.o.Now().UnixMilli(), p.Meta}, sqlSetMeta)
		})
	})
}

// DropSession deletes the blobs of a session. It returns their number and the sum of their sizes.
func (o *Owner) DropSession(ctx context.Context, session string) (n int, size int64, err error) {
	err = o.b.delete(ctx, "clear session", func(tx *Tx) error {
		_, err := tx.Scan("SELECT count(*), coalesce(sum(size), 0) FROM blobs WHERE owner = ? AND session = ?",
			[]any{o.name, session}, &n, &size)
		if err != nil {
			return err
		}
		return tx.run([]any{o.name, session}, sqlDropSession)
	})
	return n, size, err
}

// Drop deletes several blobs, or none of them: if a key does not exist, all stay and missing is the
// first such key. size is the sum of the deleted blobs' sizes.
func (o *Owner) Drop(ctx context.Context, keys ...string) (size int64, missing string, err error) {
	err = o.b.delete(ctx, "delete cached things", func(tx *Tx) error {
		size, missing = 0, ""
		for _, key := range keys {
			v, err := o.find(tx, key)
			if err != nil {
				return err
			}
			if v == nil {
				missing = key
				return errMissing
			}
			size += v.Size
			if err := tx.run([]any{o.name, key}, "DELETE FROM blobs WHERE owner = ? AND key = ?"); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errMissing) {
		return 0, missing, nil
	}
	return size, "", err
}

var errMissing = errors.New("no such blob")

// find returns the size and session of a blob without decrypting it, nil if there is none.
func (o *Owner) find(tx *Tx, key string) (*Blob, error) {
	v := Blob{Key: key}
	ok, err := tx.Scan("SELECT size, session FROM blobs WHERE owner = ? AND key = ?", []any{o.name, key}, &v.Size,
		&v.Session)
	if err != nil || !ok {
		return nil, err
	}
	return &v, nil
}
