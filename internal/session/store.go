package session

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Statements.
const (
	sqlPut = `INSERT INTO sessions (id, state, last, snapshot) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (id) DO UPDATE SET state = ?2, last = ?3, snapshot = ?4`
	// ?1 the last batch of the log: numbers beyond it are those of another log, or of an end that was lost
	sqlForgetNumbers = `UPDATE sessions SET snapshot = json_remove(snapshot, '$.seq')
WHERE json_valid(snapshot) AND snapshot ->> '$.seq' > ?1`
)

var (
	//go:embed snapshots.sql
	snapshotSchema string
	//go:embed summaries.sql
	summarySchema string
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

// Options of a Store. Dir, DB and Now are required.
type Options struct {
	Dir    string           // folder of the two files; each is made when it is first needed
	DB     *cold.DB         // the event log
	Now    func() time.Time // time of what is written
	Log    *slog.Logger     // gets one warning when a damaged file was moved aside; may be nil
	Seal   *cold.Seal       // seals summaries; nil stores them open
	Budget func() Budget    // of a context; nil: DefaultBudget
}

// Store keeps snapshots and summaries of sessions. It is a consumer of the event log, and safe for concurrent use.
type Store struct {
	o         Options
	snapshots *cold.Lazy
	summaries *cold.Lazy
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
	lazy := func(file, schema string) *cold.Lazy {
		return cold.NewLazy(filepath.Join(o.Dir, file), schema, cold.Options{Now: o.Now, Log: o.Log})
	}
	return &Store{o: o, snapshots: lazy("sessions.db", snapshotSchema), summaries: lazy("history.db", summarySchema),
		wake: make(chan struct{}, 1), held: map[string]*entry{}}
}

// Open reads how much of the log the snapshots contain. last is the number of the log's last batch. begin is where to continue
// when the file belonged to another log.
func (s *Store) Open(ctx context.Context, log string, last, begin int64) error {
	applied := int64(0)
	err := s.snapshots.UseExisting(ctx, func(f *cold.File) (err error) {
		var of string
		if of, applied, err = cold.ReadPosition(ctx, f); err != nil {
			return err
		}
		limit := last
		if of != "" && of != log {
			applied, limit = -1, 0
		}
		return f.Write(ctx, "begin with a log", func(tx *cold.Tx) error {
			_, err := tx.Exec(sqlForgetNumbers, limit)
			return err
		})
	})
	if err != nil {
		return err
	}
	if applied < 0 {
		applied = begin
	}
	s.position.Begin(log, min(applied, last))
	return nil
}

// CloseIdle closes each file that was not used since the last CloseIdle.
func (s *Store) CloseIdle() error {
	return errors.Join(s.snapshots.CloseIdle(), s.summaries.CloseIdle())
}

// Close closes the files. What was not flushed is read from the log at the next start.
func (s *Store) Close() error { return errors.Join(s.snapshots.Close(), s.summaries.Close()) }

// Name is the consumer's.
func (s *Store) Name() string { return "sessions" }

// Applied is the last batch folded.
func (s *Store) Applied() int64 { return s.position.Applied() }

// Apply folds a batch into the snapshots of its sessions.
func (s *Store) Apply(ctx context.Context, seq int64, events []event.Event) error {
	entries := map[string]*entry{}
	for _, e := range events {
		if e.Session == "" || !relevant(e.Kind) || entries[e.Session] != nil {
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
		if x := entries[e.Session]; x != nil && relevant(e.Kind) && x.Seq < seq && e.Time.After(x.until) {
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

// entry returns the session's entry. It reads one that is not in memory from the file. One that is in neither is begun, or
// ErrUnknown; one that cannot be read is made again from the log.
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
		if relevant(e.Kind) {
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

// write writes what is due by then, and how much of the log the file contains now, in one transaction. What fails is due
// again later.
func (s *Store) write(ctx context.Context, by time.Time) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	now := s.o.Now()
	var all []Snapshot
	s.mu.Lock()
	position, since := s.Applied(), map[string]int64{}
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
	err := s.snapshots.Write(ctx, "keep snapshots", func(tx *cold.Tx) error {
		for _, snap := range all {
			if err := put(tx, snap); err != nil {
				return err
			}
		}
		return s.position.Write(tx, position)
	})
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
