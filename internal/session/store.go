package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// When sessions without events are archived and deleted.
const (
	archiveAfter = 30 * 24 * time.Hour
	cleanUpAfter = 90 * 24 * time.Hour
)

const (
	maxHeld   = 256     // snapshots in memory that are as in the file
	maxListed = 100_000 // sessions of a list
)

// Errors that callers branch on.
var (
	ErrUnknown = errors.New("no such session")
	ErrState   = errors.New("not in this state")
)

// Options of a Store. Blobs, DB and Now are required.
type Options struct {
	Blobs  *cold.Blobs             // where snapshots are
	DB     *cold.DB                // the event log
	Now    func() time.Time        // time of what is written
	Log    *slog.Logger            // may be nil
	Budget func() Budget           // of a context; nil: DefaultBudget
	Words  func([]string) []string // the terms of a text as events have them (event.HashedWord); nil: as they are
}

// Store keeps snapshots of sessions. It is a consumer of the event log, and safe for concurrent use.
type Store struct {
	o         Options
	snapshots *cold.Owner
	log       string // which event log the snapshots are of
	foreign   bool   // the file was written beside another log
	position  cold.Position
	prompts   promptIndex

	writing sync.Mutex // held while snapshots are written: an older one must not follow a newer

	mu   sync.Mutex // guards what follows, and that a batch is folded as a whole
	held map[string]*entry
}

// entry is a session's snapshot in memory.
type entry struct {
	Snapshot
	until time.Time // it contains the events up to then, whatever their number
	dirty bool      // the file has an older one
}

// New opens nothing.
func New(o Options) *Store {
	if o.Words == nil {
		o.Words = func(terms []string) []string { return terms }
	}
	if o.Budget == nil {
		o.Budget = func() Budget { return DefaultBudget }
	}
	s := &Store{o: o, held: map[string]*entry{}}
	s.snapshots = o.Blobs.Owner("sessions", cold.Rule{Life: func() time.Duration { return cleanUpAfter }, Names: names,
		Leave: s.leave})
	return s
}

// place is how much of which log the snapshots contain. It lies beside them under the key "", which no session has.
type place struct {
	Log     string `json:"log"`
	Applied int64  `json:"applied"` // the last batch that they contain
}

// Open reads how much of the log the snapshots contain. last is the number of the log's last batch. begin is where to
// continue when they belong to another log, or that is not known.
func (s *Store) Open(ctx context.Context, log string, last, begin int64) error {
	s.log = log
	v, found, err := s.snapshots.Get(ctx, "")
	if err != nil && !errors.Is(err, cold.ErrRow) && !errors.Is(err, cold.ErrLostKey) {
		return err
	}
	at := place{}
	if found {
		_ = json.Unmarshal(v.Meta, &at)
		if s.foreign = at.Log != log; s.foreign {
			at.Applied = begin
		}
	}
	s.position.Begin(max(0, min(at.Applied, last)))
	return nil
}

// leave writes what changed and lets go of what is in memory.
func (s *Store) leave(ctx context.Context) error {
	_, err := s.Flush(ctx)
	s.prompts.clear()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
	return err
}

// Name is the consumer's.
func (s *Store) Name() string { return "sessions" }

// Applied is the last batch folded.
func (s *Store) Applied() int64 { return s.position.Applied() }

// Apply folds a batch into the snapshots of its sessions.
func (s *Store) Apply(ctx context.Context, seq int64, events []event.Event) error {
	entries := map[string]*entry{}
	for _, e := range events {
		if e.Session == "" || !relevant(e.Kind()) || entries[e.Session] != nil {
			continue
		}
		x, err := s.entry(ctx, e.Session, true)
		if err != nil {
			return err
		}
		entries[e.Session] = x
	}
	s.mu.Lock()
	defer s.mu.Unlock() // no snapshot is written that contains half of a batch
	for _, e := range events {
		if x := entries[e.Session]; x != nil && relevant(e.Kind()) && e.Time.After(x.until) {
			x.fold(e)
			x.dirty = true
		}
	}
	for id, x := range entries {
		s.held[id] = x // another one may have replaced it
	}
	s.position.Fold(seq)
	return nil
}

// relevant reports whether the kind changes a snapshot.
func relevant(k event.Kind) bool {
	return command(k) || k == event.KindStart || k == event.KindEnd || k == event.KindSuggest
}

// entry returns the session's entry. It reads one that is not in memory from the file. One that is in neither is
// begun, or ErrUnknown; one that cannot be read is made again from the log.
func (s *Store) entry(ctx context.Context, id string, begin bool) (*entry, error) {
	s.mu.Lock()
	x := s.held[id]
	s.mu.Unlock()
	if x != nil {
		return x, nil
	}
	x = &entry{Snapshot: Snapshot{ID: id, State: Active}}
	snap, err := s.loadSnapshot(ctx, id)
	switch {
	case err == nil:
		if x.Snapshot = snap; s.foreign {
			x.until = x.Last
		}
	case errors.Is(err, cold.ErrRow):
		if err := s.rebuild(ctx, x); err != nil {
			return nil, err
		}
	case !begin || !errors.Is(err, ErrUnknown):
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.held[id]; other != nil {
		return other, nil
	}
	s.makeRoom()
	s.held[id] = x
	return x, nil
}

// errRebuilt ends the replay at the first batch that Apply is still to get.
var errRebuilt = errors.New("all batches were folded")

// rebuild makes a snapshot of all that the log has of the session, up to the last batch folded.
func (s *Store) rebuild(ctx context.Context, x *entry) error {
	applied := s.Applied()
	err := s.o.DB.Own(ctx, 0, func(seq int64, events []event.Event) error {
		if seq > applied {
			return errRebuilt
		}
		for _, e := range events {
			if e.Session == x.ID && relevant(e.Kind()) {
				x.fold(e)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errRebuilt) {
		return fmt.Errorf("rebuild session: %w", err)
	}
	x.dirty = true
	return nil
}

// makeRoom drops snapshots until one more fits; mu is held.
func (s *Store) makeRoom() {
	for id, x := range s.held {
		if len(s.held) < maxHeld {
			return
		}
		if !x.dirty {
			delete(s.held, id)
		}
	}
}

// release drops from memory what is written; mu is held.
func (s *Store) release() {
	maps.DeleteFunc(s.held, func(_ string, x *entry) bool { return !x.dirty })
}

// Flush writes every snapshot that changed and how much of the log they contain, in one transaction. It returns the
// last batch that the file contains.
func (s *Store) Flush(ctx context.Context) (durable int64, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	var all []Snapshot
	s.mu.Lock()
	applied := s.Applied()
	for _, id := range slices.Sorted(maps.Keys(s.held)) {
		if x := s.held[id]; x.dirty {
			all = append(all, x.clone())
			x.dirty = false
		}
	}
	s.mu.Unlock()
	if len(all) == 0 && applied == s.position.Durable() {
		return applied, nil
	}
	if err = s.put(ctx, all, place{s.log, applied}); err == nil {
		s.position.Kept(applied)
		return applied, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, snap := range all {
		if x := s.held[snap.ID]; x != nil {
			x.dirty = true
		}
	}
	return s.position.Durable(), err
}
