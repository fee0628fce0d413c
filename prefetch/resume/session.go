package resume

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
func (d *Desk) Get(ctx context.Context, id string) (Snapshot, error) {
	s, _, err := d.take(ctx, id, false)
	if err != nil {
		return Snapshot{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return s.clone(), nil
}

// Resumed reports whether a session at work has come back. It looks at what is in memory only: a status line asks.
func (d *Desk) Resumed(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.held[id]
	return s != nil && s.Snapshot.Resumed > 0
}

// Filter selects sessions; zero fields select everything but the archived.
type Filter struct {
	State    State
	Archived bool // these too
	Limit    int  // 0 is 50
}

// List returns snapshots, the newest first.
func (d *Desk) List(ctx context.Context, q Filter) ([]Snapshot, error) {
	if q.Limit <= 0 {
		q.Limit = 50
	}
	if err := d.Flush(ctx); err != nil {
		return nil, err
	}
	found, bad, err := d.list(ctx, q)
	if err != nil || len(bad) == 0 {
		return found, err
	}
	for _, id := range bad {
		if _, _, err := d.take(ctx, id, true); err != nil { // begun from the log again
			return found, err
		}
	}
	if err := d.Flush(ctx); err != nil {
		return found, err
	}
	found, _, err = d.list(ctx, q)
	return found, err
}

// list is List of what is in the file. bad are the sessions whose snapshots cannot be read.
func (d *Desk) list(ctx context.Context, q Filter) (out []Snapshot, bad []string, err error) {
	if !d.file.Exists() {
		return nil, nil, nil
	}
	err = d.file.Use(ctx, func(f *cold.File) error {
		out, bad = nil, nil
		return f.Each(ctx, sqlList, []any{string(q.State), q.Archived, q.Limit}, func(row cold.Row) error {
			var id, text string
			if err := row.Scan(&id, &text); err != nil {
				return err
			}
			s, err := decode(id, text)
			if err != nil {
				bad = append(bad, id)
				return err
			}
			out = append(out, s)
			return nil
		})
	})
	return out, bad, err
}

// moves says from which states a person can bring a session to another.
var moves = map[State][]State{
	Active:    {Paused, Completed, Failed, Archived, Active},
	Paused:    {Active},
	Completed: {Active, Paused},
	Failed:    {Active, Paused},
	Archived:  {Active, Paused, Completed, Failed},
}

// Set brings a session to a state and writes it at once. To Active is to resume it; a session that nobody knows is
// then begun. ErrState if it cannot be done from where it is. A call that was heard of changes nothing.
func (d *Desk) Set(ctx context.Context, id string, to State, call string) (Snapshot, error) {
	s, _, err := d.take(ctx, id, to == Active)
	if err != nil {
		return Snapshot{}, err
	}
	d.mu.Lock()
	if slices.Contains(s.Calls, call) {
		out := s.clone()
		d.mu.Unlock()
		return out, d.write(ctx, d.o.Now()) // it may not be written yet
	}
	if !slices.Contains(moves[to], s.State) {
		from := s.State
		d.mu.Unlock()
		return Snapshot{}, fmt.Errorf("%w: %s is %s and cannot become %s", ErrState, id, from, to)
	}
	if now := d.o.Now(); s.Started.IsZero() {
		s.Started, s.Last = now, now
	} else if to == Active {
		s.Resumed++
		s.Last = newer(s.Last, now)
	}
	s.State = to
	s.heard(call)
	d.touch(s, true)
	out := s.clone()
	d.mu.Unlock()
	return out, d.write(ctx, d.o.Now())
}

func newer(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Spend adds tokens to a session, once for each call.
func (d *Desk) Spend(ctx context.Context, id string, tokens int64, call string) error {
	if id == "" || tokens <= 0 {
		return nil
	}
	s, _, err := d.take(ctx, id, true)
	if err != nil {
		return err
	}
	d.mu.Lock()
	if s.heard(call) {
		d.mu.Unlock()
		return nil
	}
	s.Tokens += tokens
	if s.Started.IsZero() {
		s.Started, s.Last = d.o.Now(), d.o.Now()
	}
	d.touch(s, false)
	d.mu.Unlock()
	d.signal()
	return nil
}

// Remove deletes a session's snapshot. Its record stays in the log: aoa forget takes that out, too.
func (d *Desk) Remove(ctx context.Context, id string) error {
	if _, err := d.Get(ctx, id); err != nil {
		return err
	}
	if err := d.Flush(ctx); err != nil {
		return err
	}
	return d.drop(ctx, sqlRemove, id)
}

// Forget deletes the snapshots of a session, or of all that were active since, or that name a path.
func (d *Desk) Forget(ctx context.Context, f cold.ForgetFilter) error {
	if err := d.Flush(ctx); err != nil || !d.file.Exists() {
		return err
	}
	var err error
	switch {
	case f.Session != "":
		err = d.drop(ctx, sqlRemove, f.Session)
	case f.Path != "":
		var name []byte
		if name, err = json.Marshal(f.Path); err == nil {
			err = d.drop(ctx, sqlRemoveNaming, string(name[1:len(name)-1])) // as it stands in the snapshot
		}
	default:
		err = d.drop(ctx, "DELETE FROM sessions WHERE last >= ?", f.Since.UnixMilli())
	}
	return err
}

// drop runs a deleting statement and forgets what is held in memory.
func (d *Desk) drop(ctx context.Context, statement string, arg any) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	err := d.file.Use(ctx, func(f *cold.File) error {
		return f.Write(ctx, "remove sessions", func(tx *cold.Tx) error {
			_, err := tx.Exec(statement, arg)
			return err
		})
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	if statement == sqlRemove {
		delete(d.held, arg.(string))
	} else {
		d.letGo()
	}
	return err
}

// Sweep archives sessions that nobody touched for 30 days, and deletes those of 90 days ago.
func (d *Desk) Sweep(ctx context.Context) (archived, removed int, err error) {
	if err := d.Flush(ctx); err != nil || !d.file.Exists() {
		return 0, 0, err
	}
	d.writing.Lock()
	defer d.writing.Unlock()
	now, dated := d.o.Now(), false
	err = d.file.Use(ctx, func(f *cold.File) error {
		return f.Write(ctx, "sweep sessions", func(tx *cold.Tx) error {
			archived, removed = 0, 0
			err := tx.Each(sqlDropOld, []any{now.Add(-CleanUpAfter).UnixMilli()}, func(cold.Row) error { removed++; return nil })
			if err != nil {
				return err
			}
			// What was written under a clock that ran ahead would stay, and be the newest, for as long.
			var old, ahead []Snapshot
			err = tx.Each(sqlAhead, []any{now.Add(24 * time.Hour).UnixMilli()}, func(rows cold.Row) error {
				var id, text string
				if err := rows.Scan(&id, &text); err != nil {
					return err
				}
				s, err := decode(id, text)
				if err == nil {
					s.Last = now
					ahead = append(ahead, s)
				}
				return err
			})
			for _, s := range ahead {
				err = errors.Join(err, put(tx, s))
			}
			if dated = len(ahead) > 0; err != nil {
				return err
			}
			err = tx.Each(sqlOld, []any{now.Add(-ArchiveAfter).UnixMilli()}, func(rows cold.Row) error {
				var id, text string
				if err := rows.Scan(&id, &text); err != nil {
					return err
				}
				s, err := decode(id, text)
				if err == nil {
					s.State = Archived
					old = append(old, s)
				}
				return err
			})
			for _, s := range old {
				err = errors.Join(err, put(tx, s))
			}
			archived = len(old)
			return err
		})
	})
	if dated || archived+removed > 0 {
		d.mu.Lock()
		d.letGo() // they are read again, as they are now
		d.mu.Unlock()
	}
	return archived, removed, err
}
