package session

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/event"
)

// Sessions has the running sessions, and the summaries of those that are over. One goroutine
// applies events, any number may read. It is safe for concurrent use.
type Sessions struct {
	mu       sync.Mutex               // guards the fields below
	sessions map[string]*Session      // running sessions, by id
	over     map[string]*Summary      // sessions of this clone that are not running, by id
	edited   map[event.Path]time.Time // when a tool last edited a file; kept for a minute
	views    map[string]*Session      // copies for readers, of sessions that have not changed since
	open     map[string]bool          // sessions that a commit may concern: with a change, or with open predictions
}

// New returns the state before the first event.
func New() *Sessions {
	return &Sessions{sessions: map[string]*Session{}, over: map[string]*Summary{}, edited: map[event.Path]time.Time{},
		views: map[string]*Session{}, open: map[string]bool{}}
}

func newSession() *Session {
	return &Session{Opened: map[event.Path]Open{}, Named: map[event.Path]int64{}, Commands: map[event.Path]int64{},
		Seen: map[event.Path]float64{}, Terms: map[string]int64{}, Edits: map[event.Path]LastEdit{}}
}

// none is a session without events.
var none = &Session{}

// Get returns the session as of at. If the session has ended or never existed, Get returns an empty
// session, never nil. The result does not change afterwards.
func (l *Sessions) Get(id string, at time.Time) *Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sessions[id]
	if s == nil || s.over(at) {
		return none
	}
	if l.views[id] == nil {
		l.views[id] = s.clone()
	}
	return l.views[id]
}

// Running is a session that is not over.
type Running struct {
	ID    string
	Last  time.Time // time of its newest event
	Ended bool      // its end was reported
}

// Running returns the sessions of this clone that are not over at a time. The one with the newest
// event comes first; equal ones are ordered by id.
func (l *Sessions) Running(at time.Time) []Running {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Running, 0, len(l.sessions))
	for id, s := range l.sessions {
		if !event.Foreign(id) && !s.over(at) && !s.ahead(at) {
			out = append(out, Running{id, s.Last, s.Ended})
		}
	}
	slices.SortFunc(out, func(a, b Running) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID)) })
	return out
}

// Left returns, by id, when people left sessions for good. A session that was resumed afterwards is
// included.
func (l *Sessions) Left() map[string]time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]time.Time{}
	for id, s := range l.sessions {
		if !s.Left.IsZero() {
			out[id] = s.Left
		}
	}
	return out
}

// touch records that a session is about to change.
func (l *Sessions) touch(id string) { delete(l.views, id) }

// idle resolves the open predictions of sessions in which nothing has happened for long.
func (l *Sessions) idle(at time.Time) (out []Resolved) {
	for _, id := range slices.Sorted(maps.Keys(l.open)) {
		if s := l.sessions[id]; at.Sub(s.Hints.Last) > IdleEnd && s.Hints.waits() {
			l.touch(id)
			out = append(out, s.Hints.resolve(id, true)...)
			l.follow(id)
		}
	}
	return out
}

// start adds a session that is not running. If it ran before, it continues with its summary.
func (l *Sessions) start(id string, d *Delta) *Session {
	s := newSession()
	if x := l.over[id]; x != nil {
		s.Summary = *x
		delete(l.over, id)
	}
	l.makeRoom(d)
	l.sessions[id] = s
	return s
}

// end ends a session, whatever the reason: its change ends, its predictions are resolved, and its
// summary stays.
func (l *Sessions) end(id string, d *Delta) {
	s := l.sessions[id]
	s.endChange(d)
	d.Resolved = append(d.Resolved, s.Hints.resolve(id, true)...)
	l.touch(id)
	delete(l.sessions, id)
	if x := s.Summary; x.ID != "" {
		l.over[id] = &x
		l.dropOldest()
	}
	l.follow(id)
}

// expire ends the sessions that are over at a tick, and those whose last event is too far in the
// future.
func (l *Sessions) expire(at time.Time, d *Delta) {
	for _, id := range slices.Sorted(maps.Keys(l.sessions)) {
		if s := l.sessions[id]; s.over(at) || s.ahead(at) {
			l.end(id, d)
		}
	}
}

// maxSessions is the largest number of running sessions. Each takes some 45 kB.
const maxSessions = 500

// makeRoom ends the session with the oldest event if there are as many as allowed. Sessions of
// other clones are ended first, so that they cannot displace ours.
func (l *Sessions) makeRoom(d *Delta) {
	if len(l.sessions) < maxSessions {
		return
	}
	oldest := ""
	for id, s := range l.sessions {
		if id == Watch {
			continue
		}
		o := l.sessions[oldest]
		if o == nil || event.Foreign(id) && !event.Foreign(oldest) || event.Foreign(id) == event.Foreign(oldest) &&
			cmp.Or(s.Last.Compare(o.Last), cmp.Compare(id, oldest)) < 0 {
			oldest = id
		}
	}
	l.end(oldest, d)
}

// rename gives files their new names in every session.
func (l *Sessions) rename(r event.Rename) {
	for i, to := range r.To[:min(len(r.To), len(r.From))] {
		for id, s := range l.sessions {
			if s.rename(r.From[i], to) {
				l.touch(id)
			}
		}
	}
}

// follow records whether a commit may concern a session.
func (l *Sessions) follow(id string) {
	if s := l.sessions[id]; s != nil && (len(s.Uncommitted) > 0 || s.Hints.waits()) {
		l.open[id] = true
	} else {
		delete(l.open, id)
	}
}

// saved is the content of a snapshot.
type saved struct {
	Sessions map[string]*Session
	Over     map[string]*Summary      // summaries of sessions that are over
	Edited   map[event.Path]time.Time // see Sessions.edited
}

// ErrSnapshot means that a snapshot is damaged, or of another version.
var ErrSnapshot = errors.New("damaged snapshot of sessions")

// Snapshot encodes all sessions.
func (l *Sessions) Snapshot() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return codec.Encode(saved{l.sessions, l.over, l.edited})
}

// Restore replaces all sessions by those of a snapshot; nil removes them. After an error there are
// none.
func (l *Sessions) Restore(data []byte) (err error) {
	fresh := New()
	s := saved{fresh.sessions, fresh.over, fresh.edited}
	if data != nil {
		if err = codec.Decode(data, &s); err == nil {
			err = s.check()
		}
	}
	if err != nil {
		fresh, err = New(), fmt.Errorf("%w: %w", ErrSnapshot, err)
		s = saved{fresh.sessions, fresh.over, fresh.edited}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sessions, l.over, l.edited, l.views, l.open = s.Sessions, s.Over, s.Edited, fresh.views, fresh.open
	for id := range l.sessions {
		l.follow(id)
	}
	return err
}

// check returns an error if a snapshot contains something that Apply cannot have produced.
func (s *saved) check() error {
	if s.Sessions == nil || s.Over == nil || s.Edited == nil {
		return errors.New("a part is missing")
	}
	for id, x := range s.Over {
		if x == nil || x.ID != id || !x.usable() {
			return fmt.Errorf("the session %.40q has ended without a state", id)
		}
	}
	for id, x := range s.Sessions {
		if x == nil || !x.Exists() || len(x.First) != len(x.Opened) || !x.Summary.usable() || !x.whole() {
			return fmt.Errorf("the session %.40q is not valid", id)
		}
	}
	return nil
}

// whole reports whether none of the maps that newSession makes is nil.
func (s *Session) whole() bool {
	return s.Opened != nil && s.Named != nil && s.Commands != nil && s.Seen != nil && s.Terms != nil && s.Edits != nil
}

// usable reports whether a stored summary may be used.
func (s *Summary) usable() bool { return s.ID == "" || s.State.Known() }
