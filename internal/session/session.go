package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Statements.
const (
	// ?1 state or "", ?2 1: archived ones too, ?3 limit
	sqlList = `SELECT id, snapshot FROM sessions WHERE (?1 = '' OR state = ?1) AND (?1 <> '' OR ?2 OR state <> 'archived')
ORDER BY last DESC, id LIMIT ?3`
	sqlOld          = "SELECT id, snapshot FROM sessions WHERE last < ?1 AND state <> 'archived'"
	sqlAhead        = "SELECT id, snapshot FROM sessions WHERE last > ?1"
	sqlDropOld      = "DELETE FROM sessions WHERE last < ? RETURNING id"
	sqlRemove       = "DELETE FROM sessions WHERE id = ?"
	sqlRemoveNaming = "DELETE FROM sessions WHERE instr(snapshot, ?1)"
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

// list is List of what is in the file. bad are the sessions whose snapshots cannot be read.
func (s *Store) list(ctx context.Context, q Filter) (out []Snapshot, bad []string, err error) {
	err = s.snapshots.UseExisting(ctx, func(f *cold.File) error {
		out, bad = nil, nil
		return f.Each(ctx, sqlList, []any{string(q.State), q.Archived, q.Limit}, func(row cold.Row) error {
			var id, text string
			if err := row.Scan(&id, &text); err != nil {
				return err
			}
			snap, err := decode(id, text)
			if err != nil {
				bad = append(bad, id)
				return err
			}
			out = append(out, snap)
			return nil
		})
	})
	return out, bad, err
}

// moves are the states from which a session can be brought to another.
var moves = map[State][]State{
	Active:    {Paused, Completed, Failed, Archived, Active},
	Paused:    {Active},
	Completed: {Active, Paused},
	Failed:    {Active, Paused},
	Archived:  {Active, Paused, Completed, Failed},
}

// Set brings a session to a state and writes it at once. Active resumes it, and begins an unknown session. The error is ErrState when
// the present state does not allow it. A repeated call changes nothing.
func (s *Store) Set(ctx context.Context, id string, to State, call string) (Snapshot, error) {
	x, err := s.entry(ctx, id, to == Active)
	if err != nil {
		return Snapshot{}, err
	}
	s.mu.Lock()
	if slices.Contains(x.Calls, call) {
		out := x.clone()
		s.mu.Unlock()
		return out, s.write(ctx, s.o.Now()) // the first one may not be written yet
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
	s.touch(x, true)
	s.held[id] = x
	out := x.clone()
	s.mu.Unlock()
	return out, s.write(ctx, s.o.Now())
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
	defer s.mu.Unlock()
	if x.repeated(call) {
		return nil
	}
	x.Tokens += max(tokens, 0)
	if x.Started.IsZero() {
		x.Started, x.Last = s.o.Now(), s.o.Now()
	}
	s.touch(x, false)
	s.held[id] = x
	s.signal()
	return nil
}

// Remove deletes a session's snapshot. Its record stays in the log: aoa forget takes that out, too.
func (s *Store) Remove(ctx context.Context, id string) error {
	if _, err := s.Get(ctx, id); err != nil {
		return err
	}
	if _, err := s.Flush(ctx); err != nil {
		return err
	}
	return s.drop(ctx, sqlRemove, id)
}

// Forget deletes the snapshots of a session, or of all that were active since, or that name a path. It deletes everything that
// was derived for contexts: it is not known which summaries contain an event that is gone. They are made again from the
// log.
func (s *Store) Forget(ctx context.Context, f cold.ForgetFilter) error {
	return errors.Join(s.forgetSnapshots(ctx, f), s.forgetSummaries(ctx))
}

func (s *Store) forgetSnapshots(ctx context.Context, f cold.ForgetFilter) error {
	if _, err := s.Flush(ctx); err != nil {
		return err
	}
	switch {
	case f.Session != "":
		return s.drop(ctx, sqlRemove, f.Session)
	case f.Path != "":
		name, err := json.Marshal(f.Path)
		if err != nil {
			return err
		}
		return s.drop(ctx, sqlRemoveNaming, string(name[1:len(name)-1])) // as it is written in the snapshot
	}
	return s.drop(ctx, "DELETE FROM sessions WHERE last >= ?", f.Since.UnixMilli())
}

// drop runs a deleting statement and drops what is in memory.
func (s *Store) drop(ctx context.Context, statement string, arg any) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	err := s.snapshots.UseExisting(ctx, func(f *cold.File) error {
		return f.Write(ctx, "remove sessions", func(tx *cold.Tx) error {
			_, err := tx.Exec(statement, arg)
			return err
		})
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if statement == sqlRemove {
		delete(s.held, arg.(string))
	} else {
		s.release()
	}
	return err
}

// Sweep archives sessions that nobody touched for 30 days, and deletes those of 90 days ago.
func (s *Store) Sweep(ctx context.Context) (archived, removed int, err error) {
	if _, err := s.Flush(ctx); err != nil {
		return 0, 0, err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	now, dated := s.o.Now(), 0
	err = s.snapshots.UseExisting(ctx, func(f *cold.File) error {
		return f.Write(ctx, "sweep sessions", func(tx *cold.Tx) error {
			removed = 0
			err := tx.Each(sqlDropOld, []any{now.Add(-cleanUpAfter).UnixMilli()}, func(cold.Row) error { removed++; return nil })
			if err != nil {
				return err
			}
			// What was written under a clock that ran ahead would stay, and be the newest, for as long.
			dated, err = change(tx, sqlAhead, now.Add(24*time.Hour), func(snap *Snapshot) { snap.Last = now })
			if err != nil {
				return err
			}
			archived, err = change(tx, sqlOld, now.Add(-archiveAfter), func(snap *Snapshot) { snap.State = Archived })
			return err
		})
	})
	if dated+archived+removed > 0 {
		s.mu.Lock()
		s.release() // they are read again, as they are now
		s.mu.Unlock()
	}
	return archived, removed, err
}

// change changes the snapshots that a statement selects and returns how many they are.
func change(tx *cold.Tx, statement string, at time.Time, fn func(*Snapshot)) (int, error) {
	var found []Snapshot
	err := tx.Each(statement, []any{at.UnixMilli()}, func(rows cold.Row) error {
		var id, text string
		if err := rows.Scan(&id, &text); err != nil {
			return err
		}
		snap, err := decode(id, text)
		if err == nil {
			fn(&snap)
			found = append(found, snap)
		}
		return err
	})
	for _, snap := range found {
		err = errors.Join(err, put(tx, snap))
	}
	return len(found), err
}
