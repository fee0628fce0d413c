package session

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session/live"
)

// When sessions without events are archived and deleted.
const (
	archiveAfter = 30 * 24 * time.Hour
	cleanUpAfter = 90 * 24 * time.Hour
)

// mostStates bounds the sessions that can be resumed, of some 2 kB each. A program that starts agents may make
// thousands in an hour.
const mostStates = 1000

// Errors that callers branch on.
var (
	ErrUnknown = errors.New("no session is called") // its name follows
	ErrState   = errors.New("not in this state")
)

// States are the snapshots of all sessions of this clone, folded from the event log. They are safe for concurrent use.
type States struct {
	mu       sync.Mutex
	sessions map[string]*Snapshot // guarded by mu
}

// NewStates makes the state before the first event.
func NewStates() *States { return &States{sessions: map[string]*Snapshot{}} }

// Apply implements fold.Consumer.
func (s *States) Apply(e event.Event, _ *live.Session, _ live.Delta) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Kind() == event.KindTick {
		s.sweep(e.Time)
		return
	}
	if e.Session == "" || e.Origin != "" || !relevant(e.Kind()) {
		return
	}
	x := s.sessions[e.Session]
	if x == nil {
		s.makeRoom()
		x = &Snapshot{ID: e.Session, State: Active}
		s.sessions[e.Session] = x
	}
	x.fold(e)
	if x.State == Removed {
		delete(s.sessions, e.Session)
	}
}

// makeRoom deletes the snapshot with the oldest event, ties by id, if there is no room for another one.
func (s *States) makeRoom() {
	if len(s.sessions) < mostStates {
		return
	}
	var oldest *Snapshot
	for _, x := range s.sessions {
		if oldest == nil || cmp.Or(x.Last.Compare(oldest.Last), cmp.Compare(x.ID, oldest.ID)) < 0 {
			oldest = x
		}
	}
	delete(s.sessions, oldest.ID)
}

// sweep archives and deletes sessions that were not used for long.
func (s *States) sweep(now time.Time) {
	for id, x := range s.sessions {
		// What was written under a clock that ran ahead would stay, and be the newest, for as long.
		if x.Last.After(now.Add(24 * time.Hour)) {
			x.Last = now
		}
		switch age := now.Sub(x.Last); {
		case age > cleanUpAfter:
			delete(s.sessions, id)
		case age > archiveAfter:
			x.State = Archived
		}
	}
}

// Snapshot encodes all sessions.
func (s *States) Snapshot() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Snapshot
	for _, x := range s.sessions {
		all = append(all, *x)
	}
	slices.SortFunc(all, func(a, b Snapshot) int { return cmp.Compare(a.ID, b.ID) })
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(all)
	return b.Bytes(), err
}

// Restore loads what Snapshot encoded into an empty state.
func (s *States) Restore(saved []byte) error {
	var all []Snapshot
	if err := gob.NewDecoder(bytes.NewReader(saved)).Decode(&all); err != nil {
		return fmt.Errorf("restore sessions: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range all {
		if !x.State.Known() {
			return fmt.Errorf("restore sessions: %.40q has the state %.40q", x.ID, x.State)
		}
		s.sessions[x.ID] = &x
	}
	return nil
}

// Get returns a session's snapshot, or ErrUnknown.
func (s *States) Get(id string) (Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.sessions[id]
	if x == nil {
		return Snapshot{}, fmt.Errorf("%w %.100q", ErrUnknown, id)
	}
	return x.clone(), nil
}

// Filter selects sessions; zero fields select everything but the archived.
type Filter struct {
	State    State
	Archived bool // these too
	Limit    int  // 0 is 50
}

// List returns snapshots, the newest first.
func (s *States) List(q Filter) []Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []Snapshot{}
	for _, x := range s.sessions {
		if x.State == q.State || q.State == "" && (q.Archived || x.State != Archived) {
			out = append(out, x.clone())
		}
	}
	slices.SortFunc(out, func(a, b Snapshot) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID)) })
	return out[:min(len(out), cmp.Or(max(q.Limit, 0), 50))]
}

// moves are the states from which a session can be brought to another.
var moves = map[State][]State{
	Active:    {Paused, Completed, Failed, Archived, Active},
	Paused:    {Active},
	Completed: {Active, Paused},
	Failed:    {Active, Paused},
	Archived:  {Active, Paused, Completed, Failed},
	Removed:   {Active, Paused, Completed, Failed, Archived},
}

// Allows says whether the event may set a session's state: the error is ErrState when the present state does not allow
// it, and ErrUnknown when the session is not known. Active begins an unknown one. What was set before may be set again
// by the same event.
func (s *States) Allows(e event.Event) error {
	to := State(e.Body.(event.State).Name)
	x, err := s.Get(e.Session)
	switch {
	case err != nil && to == Active:
		return nil
	case err != nil:
		return err
	case x.Call != e.ID && !slices.Contains(moves[to], x.State):
		return fmt.Errorf("%w: %s is %s and cannot become %s", ErrState, e.Session, x.State, to)
	}
	return nil
}
