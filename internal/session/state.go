package session

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// State is the state of a session, as people see and set it.
type State string

// The states. Removed is never the state of a session: setting it deletes the summary.
const (
	Active    State = "active"
	Paused    State = "paused" // it ended or was paused; it can be resumed
	Completed State = "completed"
	Failed    State = "failed"
	Archived  State = "archived"
	Removed   State = "removed"
)

// Known reports whether a session can be in this state.
func (s State) Known() bool { return moves[s] != nil && s != Removed }

// When sessions without events are archived, and when their summaries are deleted.
const (
	archiveAfter = 30 * 24 * time.Hour
	cleanUpAfter = 90 * 24 * time.Hour
)

// mostOver is the number of sessions that are over and can be resumed. Each takes some 2 kB. A
// program that starts agents may make thousands in an hour.
const mostOver = 1000

// Errors that callers handle in different ways.
var (
	ErrUnknown = errors.New("no session is called") // its name follows
	ErrState   = errors.New("not in this state")
)

// summarize applies an event to the summary of its session. Sessions of other clones have no
// summary.
func (l *Sessions) summarize(e event.Event) {
	if e.Session == "" || e.Origin != "" || !summarized(e.Kind()) {
		return
	}
	x := l.summary(e.Session)
	if x == nil {
		x = &Summary{}
		l.over[e.Session] = x // a person or a pipeline set the state of a session that is not running
	}
	if x.ID == "" {
		x.ID, x.State = e.Session, Active
	}
	l.touch(e.Session)
	if x.add(e); x.State == Removed {
		*x = Summary{}
		delete(l.over, e.Session)
	}
	l.dropOldest()
}

// summary returns the summary of a session, running or over; nil if the session is not known.
func (l *Sessions) summary(id string) *Summary {
	if s := l.sessions[id]; s != nil {
		return &s.Summary
	}
	return l.over[id]
}

// dropOldest deletes the summary with the oldest event, if there are more than mostOver of sessions
// that are over.
func (l *Sessions) dropOldest() {
	if len(l.over) <= mostOver {
		return
	}
	var oldest *Summary
	for _, x := range l.over {
		if oldest == nil || cmp.Or(x.Last.Compare(oldest.Last), cmp.Compare(x.ID, oldest.ID)) < 0 {
			oldest = x
		}
	}
	delete(l.over, oldest.ID)
}

// sweep archives sessions that were not used for long, and deletes the summaries of sessions that
// have been archived for long.
func (l *Sessions) sweep(now time.Time) {
	for id, x := range l.summaries() {
		// A time that was written while the clock was ahead would make the session the newest for
		// too long.
		if x.Last.After(now.Add(24 * time.Hour)) {
			x.Last = now
		}
		switch age := now.Sub(x.Last); {
		case age > cleanUpAfter:
			*x = Summary{}
			delete(l.over, id)
		case age > archiveAfter:
			x.State = Archived
		default:
			continue
		}
		l.touch(id)
	}
}

// summaries returns the summaries of all sessions of this clone, by id.
func (l *Sessions) summaries() map[string]*Summary {
	out := maps.Clone(l.over)
	for id, s := range l.sessions {
		if s.Summary.ID != "" {
			out[id] = &s.Summary
		}
	}
	return out
}

// Summary returns the summary of a session of this clone, or ErrUnknown.
func (l *Sessions) Summary(id string) (Summary, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.summary(id)
	if x == nil || x.ID == "" {
		return Summary{}, fmt.Errorf("%w %.100q", ErrUnknown, id)
	}
	return x.clone(), nil
}

// Filter selects sessions. Fields that are zero select everything except archived sessions.
type Filter struct {
	State    State `json:"state,omitempty"`    // active, paused, completed, failed or archived
	Archived bool  `json:"archived,omitempty"` // archived sessions, too
	Limit    int   `json:"limit,omitempty"`    // 0 means 50
}

// List returns the summaries of sessions of this clone, the one with the newest event first.
func (l *Sessions) List(q Filter) []Summary {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := []Summary{}
	for _, x := range l.summaries() {
		if x.State == q.State || q.State == "" && (q.Archived || x.State != Archived) {
			out = append(out, x.clone())
		}
	}
	slices.SortFunc(out, func(a, b Summary) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID)) })
	return out[:min(len(out), cmp.Or(max(q.Limit, 0), 50))]
}

// moves has, for each state, the states from which it can be set.
var moves = map[State][]State{
	Active:    {Paused, Completed, Failed, Archived, Active},
	Paused:    {Active},
	Completed: {Active, Paused},
	Failed:    {Active, Paused},
	Archived:  {Active, Paused, Completed, Failed},
	Removed:   {Active, Paused, Completed, Failed, Archived},
}

// Allows reports whether an event may set a session's state. The error is ErrState if the present
// state does not allow it, and ErrUnknown if the session is not known. Active is also allowed for
// an unknown session, which then begins. The same event may set the same state again.
func (l *Sessions) Allows(e event.Event) error {
	to := State(e.Body.(event.State).Name)
	x, err := l.Summary(e.Session)
	switch {
	case err != nil && to == Active:
		return nil
	case err != nil:
		return err
	case x.SetBy != e.ID && !slices.Contains(moves[to], x.State):
		return fmt.Errorf("%w: %s is %s and cannot become %s", ErrState, e.Session, x.State, to)
	}
	return nil
}
