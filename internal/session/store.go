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

// When a snapshot is written after a change, and when sessions without events are archived and deleted.
const (
	shortly = time.Second      // after the last change
	later   = 5 * time.Second  // after the last, where it was written within the window before
	window  = 10 * time.Second // see later; and no change waits longer

	archiveAfter = 30 * 24 * time.Hour
	cleanUpAfter = 90 * 24 * time.Hour
)

const (
	maxHeld    = 256     // snapshots in memory; those that are written leave first
	maxRebuilt = 100_000 // events that a snapshot is made from again
)

// Errors that callers branch on.
var (
	ErrUnknown = errors.New("no such session")
	ErrState   = errors.New("not in this state")
)

// Options of a Store. Blobs, DB and Now are required.
type Options struct {
	Blobs  *cold.Blobs      // where snapshots and summaries are
	DB     *cold.DB         // the event log
	Now    func() time.Time // time of what is written
	Log    *slog.Logger     // may be nil
	Budget func() Budget    // of a context; nil: DefaultBudget
}

// Store keeps snapshots and summaries of sessions. It is a consumer of the event log, and safe for concurrent use.
type Store struct {
	o         Options
	snapshots *cold.Owner
	log       string // which event log the snapshots are of
	position  cold.Position
	wake      chan struct{}
	prompts   promptIndex

	writing sync.Mutex // held while snapshots are written: an older one must not follow a newer

	mu     sync.Mutex // guards what follows, and that a batch is folded as a whole
	held   map[string]*entry
	writes int64 // transactions so far
}

// entry is a session's snapshot in memory.
type entry struct {
	Snapshot
	until   time.Time // of a snapshot without a number: it contains the events up to then
	since   int64     // the first batch that the file does not contain; 0: it contains all
	due     time.Time // when it is to be written; zero: nothing changed since
	changed time.Time // the first change that is not written
	written time.Time
}

// New opens nothing.
func New(o Options) *Store {
	if o.Budget == nil {
		o.Budget = func() Budget { return DefaultBudget }
	}
	s := &Store{o: o, wake: make(chan struct{}, 1), held: map[string]*entry{}}
	s.snapshots = o.Blobs.Owner("sessions", cold.Rule{Life: func() time.Duration { return cleanUpAfter }, Names: names,
		Leave: s.leave})
	return s
}

// place is how much of which log the snapshots contain. It lies beside them under the key "", which no session has.
type place struct {
	Log     string `json:"log"`
	Applied int64  `json:"applied"` // the last batch that all of them contain
	Newest  int64  `json:"newest"`  // the last batch that any of them contains
}

// Open reads how much of the log the snapshots contain. last is the number of the log's last batch. begin is where to
// continue when they belong to another log, or that is not known.
func (s *Store) Open(ctx context.Context, log string, last, begin int64) error {
	s.log = log
	var at place
	v, found, err := s.snapshots.Get(ctx, "")
	if err != nil && !errors.Is(err, cold.ErrRow) && !errors.Is(err, cold.ErrLostKey) {
		return err
	}
	applied := int64(0)
	if found {
		_ = json.Unmarshal(v.Meta, &at)
		switch {
		case at.Log != log:
			applied, err = begin, s.forgetNumbers(ctx, 0)
		case at.Newest > last: // the end of the log was lost
			applied, err = at.Applied, s.forgetNumbers(ctx, last)
		default:
			applied, err = at.Applied, nil
		}
	}
	s.position.Begin(max(0, min(applied, last)))
	return err
}

// forgetNumbers takes the numbers of batches beyond the last one out of snapshots.
func (s *Store) forgetNumbers(ctx context.Context, last int64) error {
	return s.change(ctx, func(snap *Snapshot) bool {
		change := snap.Seq > last
		if change {
			snap.Seq = 0
		}
		return change
	})
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
		if x := entries[e.Session]; x != nil && relevant(e.Kind()) && x.Seq < seq && e.Time.After(x.until) {
			s.touch(x, x.fold(e))
		}
	}
	for id, x := range entries {
		if x.Seq < seq && !x.due.IsZero() {
			x.Seq = seq
			if x.since == 0 {
				x.since = seq
			}
		}
		s.held[id] = x // another one may have replaced it
	}
	s.position.Fold(seq)
	s.signal()
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
		x.Snapshot, x.written = snap, s.o.Now()
		if x.Seq == 0 { // of another log
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

// rebuild makes a snapshot of all that the log has of the session.
func (s *Store) rebuild(ctx context.Context, x *entry) error {
	applied := s.Applied()
	events, err := s.o.DB.Log(ctx, cold.LogFilter{Session: x.ID, Oldest: true, Limit: maxRebuilt})
	if err != nil {
		return fmt.Errorf("rebuild session: %w", err)
	}
	for _, e := range events {
		if relevant(e.Kind()) {
			x.fold(e)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	x.Seq, x.since = applied, max(applied, 1)
	s.touch(x, false)
	return nil
}

// makeRoom drops snapshots until one more fits; mu is held.
func (s *Store) makeRoom() {
	for id, x := range s.held {
		if len(s.held) < maxHeld {
			return
		}
		if x.due.IsZero() {
			delete(s.held, id)
		}
	}
}

// touch schedules a write after a change; mu is held. An urgent change is due at once.
func (s *Store) touch(x *entry, urgent bool) {
	now := s.o.Now()
	wait := shortly
	if !x.written.IsZero() && now.Sub(x.written) < window {
		wait = later
	}
	if urgent {
		wait = 0
	}
	if x.due.IsZero() {
		x.changed = now
	}
	x.due = now.Add(wait)
	if last := x.changed.Add(window); last.Before(x.due) {
		x.due = last
	}
}

// release drops from memory what is written; mu is held.
func (s *Store) release() {
	maps.DeleteFunc(s.held, func(_ string, x *entry) bool { return x.due.IsZero() })
}

func (s *Store) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run writes snapshots as they fall due, until ctx ends; then all that is left.
func (s *Store) Run(ctx context.Context) error {
	for {
		var timer <-chan time.Time
		if due, any := s.next(); any {
			timer = time.After(due.Sub(s.o.Now()))
		}
		select {
		case <-ctx.Done():
			_, err := s.Flush(context.WithoutCancel(ctx))
			return err
		case <-s.wake:
		case <-timer:
			if err := s.write(ctx, s.o.Now()); err != nil && s.o.Log != nil {
				s.o.Log.Warn("snapshots of sessions not written", "err", err)
			}
		}
	}
}

// next is when the first snapshot is due.
func (s *Store) next() (due time.Time, any bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.held {
		if !x.due.IsZero() && (!any || x.due.Before(due)) {
			due, any = x.due, true
		}
	}
	return due, any
}

// Flush writes everything that changed and returns the last batch that the file contains wholly.
func (s *Store) Flush(ctx context.Context) (durable int64, err error) {
	err = s.write(ctx, s.o.Now().Add(2*window))
	return s.position.Durable(), err
}

// write writes what is due by then, and how much of the log the file contains now, in one transaction. What fails is
// due again later.
func (s *Store) write(ctx context.Context, by time.Time) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	now := s.o.Now()
	var all []Snapshot
	s.mu.Lock()
	applied, since := s.Applied(), map[string]int64{}
	position := applied
	for _, id := range slices.Sorted(maps.Keys(s.held)) {
		switch x := s.held[id]; {
		case x.due.IsZero():
		case !x.due.After(by):
			since[id] = x.since
			all = append(all, x.clone())
			x.due, x.written, x.since = time.Time{}, now, 0
		case x.since > 0:
			position = min(position, x.since-1)
		}
	}
	if len(all) == 0 && (position == s.position.Durable() || by.Sub(now) <= 0) {
		s.mu.Unlock()
		return nil
	}
	s.mu.Unlock()
	err := s.put(ctx, all, place{s.log, position, applied})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	if err == nil {
		s.position.Kept(position)
		return nil
	}
	for _, snap := range all {
		if x := s.held[snap.ID]; x != nil {
			if first := since[snap.ID]; first > 0 {
				x.since = first
			}
			s.touch(x, false)
		}
	}
	return err
}
