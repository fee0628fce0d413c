package cold

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/aoa-dev/aoa/internal/codec"
)

// Snapshot keeps a state that was folded from the log among the blobs. It is made of what may be
// forgotten, so it is dropped before anything is.
type Snapshot struct {
	db    *DB
	owner *Owner
}

// NewSnapshot adds the owner of a state.
func NewSnapshot(db *DB, b *Blobs, name string) *Snapshot {
	return &Snapshot{db: db, owner: b.Owner(name, Rule{Derived: true})}
}

// snapshotOf says what a state was folded from.
type snapshotOf struct {
	Log string // DB.Name
	Seq int64  // the last batch in it
}

// The key of the one blob of a snapshot.
const snapshotKey = "snapshot"

// Save keeps the state after batch seq in place of the one before.
func (s *Snapshot) Save(ctx context.Context, seq int64, state []byte) error {
	name, err := s.db.Name(ctx)
	if err != nil {
		return err
	}
	meta, err := codec.Encode(snapshotOf{name, seq})
	if err != nil {
		return err
	}
	blob := s.owner.Pack(Blob{Key: snapshotKey, Size: int64(len(state)), Meta: meta, Data: state})
	_, err = s.owner.Write(ctx, "save snapshot", func(tx *BlobTx) error { return tx.Put(blob) })
	return err
}

// Load returns the state and the last batch in it, or 0 if there is no snapshot of this log. It
// ignores a snapshot with events that the log does not have, and one from before a Forget whose
// bytes are not overwritten yet. The error wraps ErrRow if the snapshot is damaged.
func (s *Snapshot) Load(ctx context.Context) (state []byte, seq int64, err error) {
	name, err := s.db.Name(ctx)
	if err != nil {
		return nil, 0, err
	}
	v, found, err := s.owner.Get(ctx, snapshotKey)
	if err != nil || !found {
		if errors.Is(err, ErrLostKey) && !errors.Is(err, ErrRow) {
			err = nil // OpenSeal has warned
		}
		return nil, 0, err
	}
	left, err := s.db.Meta(ctx, metaScrub)
	if err != nil {
		return nil, 0, err
	}
	var of snapshotOf
	if err := codec.Decode(v.Meta, &of); err != nil {
		return nil, 0, fmt.Errorf("load snapshot: %w: %w", ErrRow, err)
	}
	// Other batches will get the numbers that the log does not have. While something is forgotten,
	// a power cut may bring the state back that was dropped before.
	if of.Log != name || of.Seq > s.db.Last() || left != "" {
		return nil, 0, s.Drop(ctx)
	}
	return v.Data, of.Seq, nil
}

// Drop deletes the snapshot.
func (s *Snapshot) Drop(ctx context.Context) error {
	_, _, err := s.owner.Drop(ctx, snapshotKey)
	return err
}

// Name is the log's own: a new log, and one of another clone, have other names.
func (d *DB) Name(ctx context.Context) (string, error) {
	name, err := d.Meta(ctx, metaName)
	if err != nil || name != "" {
		return name, err
	}
	name = rand.Text()
	return name, d.SetMeta(ctx, metaName, name)
}
