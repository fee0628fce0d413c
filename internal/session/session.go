package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Get returns a session's snapshot: from memory, else from the file and what the log has had since. ErrUnknown if
// there is none.
func (s *Store) Get(ctx context.Context, id string) (Snapshot, error) {
	x, err := s.entry(ctx, id, false)
	if err != nil {
		return Snapshot{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return x.clone(), nil
}

// Resumed reports whether a session was resumed. It reads memory only, because a status line asks often.
func (s *Store) Resumed(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.held[id]
	return x != nil && x.Snapshot.Resumed > 0
}

// Filter selects sessions; zero fields select everything but the archived.
type Filter struct {
	State    State
	Archived bool // these too
	Limit    int  // 0 is 50
}

// List returns snapshots, the newest first.
func (s *Store) List(ctx context.Context, q Filter) ([]Snapshot, error) {
	if q.Limit <= 0 {
		q.Limit = 50
	}
	if _, err := s.Flush(ctx); err != nil {
		return nil, err
	}
	found, bad, err := s.list(ctx, q)
	if err != nil || len(bad) == 0 {
		return found, err
	}
	for _, id := range bad {
		if _, err := s.entry(ctx, id, true); err != nil { // made from the log again
			return found, err
		}
	}
	if _, err := s.Flush(ctx); err != nil {
		return found, err
	}
	found, _, err = s.list(ctx, q)
	return found, err
}

// list is List of what is stored. bad are the sessions whose snapshots cannot be read.
func (s *Store) list(ctx context.Context, q Filter) (out []Snapshot, bad []string, err error) {
	all, _, err := s.snapshots.List(ctx, cold.Selection{})
	for _, v := range all {
		if v.Key == "" {
			continue
		}
		snap, err := decode(v.Key, string(v.Meta))
		if err != nil {
			bad = append(bad, v.Key)
			continue
		}
		if snap.State == q.State || q.State == "" && (q.Archived || snap.State != Archived) {
			out = append(out, snap)
		}
	}
	slices.SortFunc(out, func(a, b Snapshot) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID)) })
	return out[:min(len(out), q.Limit)], bad, err
}

// moves are the states from which a session can be brought to another.
var moves = map[State][]State{
	Active:    {Paused, Completed, Failed, Archived, Active},
	Paused:    {Active},
	Completed: {Active, Paused},
	Failed:    {Active, Paused},
	Archived:  {Active, Paused, Completed, Failed},
}

// Set brings a session to a state and writes it at once. Active resumes it, and begins an unknown session. The error
// is ErrState when the present state does not allow it. A repeated call changes nothing.
func (s *Store) Set(ctx context.Context, id string, to State, call string) (Snapshot, error) {
	x, err := s.entry(ctx, id, to == Active)
	if err != nil {
		return Snapshot{}, err
	}
	s.mu.Lock()
	if slices.Contains(x.Calls, call) {
		defer s.mu.Unlock()
		return x.clone(), nil
	}
	if !slices.Contains(moves[to], x.State) {
		from := x.State
		s.mu.Unlock()
		return Snapshot{}, fmt.Errorf("%w: %s is %s and cannot become %s", ErrState, id, from, to)
	}
	if now := s.o.Now(); x.Started.IsZero() {
		x.Started, x.Last = now, now
	} else if to == Active {
		x.Resumed++
		x.Last = newer(x.Last, now)
	}
	x.State = to
	x.repeated(call)
	x.dirty = true
	s.held[id] = x
	out := x.clone()
	s.mu.Unlock()
	_, err = s.Flush(ctx)
	return out, err
}

func newer(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Spend adds the tokens of a pipeline's step to its session, once for each call. It begins an unknown session.
func (s *Store) Spend(ctx context.Context, id string, tokens int64, call string) error {
	if id == "" {
		return nil
	}
	x, err := s.entry(ctx, id, true)
	if err != nil {
		return err
	}
	s.mu.Lock()
	if x.repeated(call) {
		s.mu.Unlock()
		return nil
	}
	x.Tokens += max(tokens, 0)
	if x.Started.IsZero() {
		x.Started, x.Last = s.o.Now(), s.o.Now()
	}
	x.dirty = true
	s.held[id] = x
	s.mu.Unlock()
	_, err = s.Flush(ctx) // the log does not have it
	return err
}

// Remove deletes a session's snapshot. Its record stays in the log: aoa forget takes that out, too.
func (s *Store) Remove(ctx context.Context, id string) error {
	if _, err := s.Get(ctx, id); err != nil {
		return err
	}
	if _, err := s.Flush(ctx); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	_, _, err := s.snapshots.Drop(ctx, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, id)
	return err
}

// Sweep archives sessions that nobody touched for 30 days.
func (s *Store) Sweep(ctx context.Context) (archived int, err error) {
	if _, err := s.Flush(ctx); err != nil {
		return 0, err
	}
	now := s.o.Now()
	err = s.change(ctx, func(snap *Snapshot) bool {
		// What was written under a clock that ran ahead would stay, and be the newest, for as long.
		ahead, old := snap.Last.After(now.Add(24*time.Hour)), snap.State != Archived &&
			snap.Last.Before(now.Add(-archiveAfter))
		if ahead {
			snap.Last = now
		}
		if old {
			snap.State = Archived
			archived++
		}
		return ahead || old
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release() // they are read again, as they are now
	return archived, err
}

// change changes the stored snapshots for which fn reports that it did.
func (s *Store) change(ctx context.Context, fn func(*Snapshot) bool) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	all, _, err := s.list(ctx, Filter{Archived: true, Limit: maxListed})
	if err != nil {
		return err
	}
	var changed []Snapshot
	for _, snap := range all {
		if fn(&snap) {
			changed = append(changed, snap)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return s.put(ctx, changed, place{s.log, s.position.Durable()})
}
