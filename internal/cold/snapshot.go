package cold

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/aoa-dev/aoa/internal/codec"
)

// Snapshot stores a state that was computed from the log as a blob. The state contains what users
// may ask to forget, so it is deleted before anything is forgotten.
type Snapshot struct {
	db    *DB
	owner *Owner
}

// NewSnapshot returns a Snapshot. It adds an owner with this name to the blobs.
func NewSnapshot(db *DB, b *Blobs, name string) *Snapshot {
	return &Snapshot{db: db, owner: b.Owner(name, Rule{Derived: true})}
}

// snapshotOf tells from which part of the log a state was computed.
type snapshotOf struct {
	Log string // DB.Name
	Seq int64  // number of the last batch in the state
}

// snapshotKey is the key of the only blob of a snapshot.
const snapshotKey = "snapshot"

// Save stores the state after batch seq and replaces the previous one.
func (s *Snapshot) Save(ctx context.Context, seq int64, state []byte) error {
	name, err := s.db.Name(ctx)
	if err != nil {
		return err
	}
	meta, err := codec.Encode(snapshotOf{name, seq})
	if err != nil {
		return err
	}
	_, err = s.owner.Put(ctx, Blob{Key: snapshotKey, Size: int64(len(state)), Meta: meta, Data: state})
	return err
}

// Load returns the state and the number of the last batch in it, or 0 if there is no snapshot of
// this log. It ignores a snapshot with batches that the log does not have, and any snapshot while
// bytes of a Forget have not been overwritten yet. The error wraps ErrRow if the snapshot is
// damaged.
func (s *Snapshot) Load(ctx context.Context) (state []byte, seq int64, err error) {
	name, err := s.db.Name(ctx)
	if err != nil {
		return nil, 0, err
	}
	v, found, err := s.owner.Get(ctx, snapshotKey)
	if err != nil || !found {
		if keyLost(err) {
			err = nil // OpenSeal has already warned
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
	// If the log lacks batches of the snapshot, other batches will get their numbers. And while
	// something is being forgotten, a power cut may bring back a state that was already deleted.
	if of.Log != name || of.Seq > s.db.Last() || left != "" {
		return nil, 0, s.Drop(ctx)
	}
	return v.Data, of.Seq, nil
}

// Drop deletes the snapshot.
func (s *Snapshot) Drop(ctx context.Context) error {
	_, _, err := s.owner.Drop(ctx, Selection{Key: snapshotKey})
	return err
}

// Name returns a name that identifies the log. A new log, and the log of another clone, have other
// names.
func (d *DB) Name(ctx context.Context) (string, error) {
	name, err := d.Meta(ctx, metaName)
	if err != nil || name != "" {
		return name, err
	}
	name = rand.Text()
	return name, d.SetMeta(ctx, metaName, name)
}
