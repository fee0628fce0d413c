package stage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// Statements.
const (
	sqlOutputs      = "SELECT stage, prompt, json, value, at FROM outputs WHERE session = ? ORDER BY at, stage, prompt"
	sqlPutOutput    = "INSERT OR REPLACE INTO outputs (session, stage, prompt, json, value, at) VALUES (?, ?, ?, ?, ?, ?)"
	sqlContexts     = "SELECT name, value FROM contexts WHERE session = ? ORDER BY name"
	sqlPutContext   = "INSERT OR REPLACE INTO contexts (session, name, value, at) VALUES (?, ?, ?, ?)"
	sqlSessionBytes = `SELECT (SELECT coalesce(sum(length(value)), 0) FROM outputs WHERE session = ?1) +
(SELECT coalesce(sum(length(value)), 0) FROM contexts WHERE session = ?1)`
	sqlRun    = "SELECT state, tokens FROM runs WHERE session = ? AND pipeline = ?"
	sqlPutRun = `INSERT INTO runs (session, pipeline, state, began, at, tokens) VALUES (?1, ?2, ?3, ?4, ?4, ?5)
ON CONFLICT (session, pipeline) DO UPDATE SET state = ?3, at = ?4, tokens = tokens + ?5`
	sqlSessions  = "SELECT session, max(at), sum(tokens), count(*) FROM runs GROUP BY session ORDER BY 2 DESC LIMIT ?"
	sqlSteps     = "SELECT stage, key FROM steps WHERE session = ? AND pipeline = ?"
	sqlPutStep   = "INSERT OR REPLACE INTO steps (session, pipeline, stage, key) VALUES (?, ?, ?, ?)"
	sqlPutLoaded = "INSERT OR REPLACE INTO loaded (session, at, data) VALUES (?, ?, ?)"
)

// Session is what the pipelines of a session have stored.
type Session struct {
	ID      string
	Known   bool                       // a pipeline ran in it before
	Outputs []Output                   // of its stages, oldest first
	Context map[string]json.RawMessage // by name
	State   string                     // of the last run of the pipeline that was asked about: "", running, done or failed
	Steps   map[string]string          // stage → key, of a run that is not done
	Tokens  int64                      // of that pipeline's runs
}

// Output is what a stage printed.
type Output struct {
	Stage  string
	Prompt string // "" for a stage without one
	JSON   bool
	Value  []byte
}

// The states of a run.
const (
	Running = "running"
	Done    = "done"
	Failed  = "failed"
)

// maxSession bounds what one session keeps.
const maxSession = 50 << 20

// ErrSession is wrapped when a session is full or its name is none.
var ErrSession = errors.New("the session")

// Session reads what a session holds, and how far the pipeline's last run came.
func (c *Cache) Session(ctx context.Context, id, pipeline string) (*Session, error) {
	f, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	s := &Session{ID: id, Context: map[string]json.RawMessage{}, Steps: map[string]string{}}
	err = f.Each(ctx, sqlOutputs, []any{id}, func(rows cold.Row) error {
		var o Output
		var at int64
		err := rows.Scan(&o.Stage, &o.Prompt, &o.JSON, &o.Value, &at)
		if err == nil {
			o.Value, err = c.o.Seal.Open(outputOf(id, o.Stage, o.Prompt), o.Value)
		}
		if err == nil && (o.JSON && !json.Valid(o.Value) || !cold.Possible(at)) {
			err = fmt.Errorf("%w: output of %q in session %q", cold.ErrRow, o.Stage, id)
		}
		if err == nil {
			s.Outputs = append(s.Outputs, o)
		}
		return err
	})
	if err == nil {
		err = f.Each(ctx, sqlContexts, []any{id}, func(rows cold.Row) error {
			var name string
			var value []byte
			err := rows.Scan(&name, &value)
			if err == nil {
				value, err = c.o.Seal.Open(contextOf(id, name), value)
			}
			if err == nil && !json.Valid(value) {
				err = fmt.Errorf("%w: context %q of session %q: it is no JSON", cold.ErrRow, name, id)
			}
			if err == nil {
				s.Context[name] = value
			}
			return err
		})
	}
	if err == nil {
		_, err = f.Scan(ctx, sqlRun, []any{id, pipeline}, &s.State, &s.Tokens)
		if errors.Is(err, cold.ErrRow) || s.State != "" && s.State != Running && s.State != Done && s.State != Failed {
			s.State, s.Tokens, err = "", 0, nil // the progress is unknown: it begins again
		}
	}
	if err == nil && s.State != Done {
		err = f.Each(ctx, sqlSteps, []any{id, pipeline}, func(rows cold.Row) error {
			var stage, key string
			err := rows.Scan(&stage, &key)
			if err == nil {
				s.Steps[stage] = key
			}
			return err
		})
	}
	s.Known = len(s.Outputs) > 0 || len(s.Context) > 0 || s.State != ""
	return s, err
}

// Progress is a report of a running pipeline. Each part may be missing.
type Progress struct {
	Session, Pipeline string
	State             string                     // Running begins a run; Done and Failed end it
	Output            *Output                    // of a stage that ended well
	Key               string                     // of that stage's run: an unfinished run continues after it
	Context           map[string]json.RawMessage // by name
	Tokens            int64                      // to be added, once
	Call              string                     // id of the call; a repeated one counts once
}

// Progress stores a report, all of it or nothing.
func (c *Cache) Progress(ctx context.Context, p Progress) error {
	if p.Session == "" || len(p.Session) > 128 {
		return fmt.Errorf("%w %.40q: an id has 1 to 128 bytes", ErrSession, p.Session)
	}
	f, err := c.open(ctx)
	if err != nil {
		return err
	}
	now := c.o.Now().UnixMilli()
	return f.Write(ctx, "keep progress", func(tx *cold.Tx) error {
		if o := p.Output; o != nil {
			if o.JSON && !json.Valid(o.Value) {
				return fmt.Errorf("%w: the output of %s is not JSON", ErrRequest, o.Stage)
			}
			sealed := c.o.Seal.Seal(outputOf(p.Session, o.Stage, o.Prompt), o.Value)
			if _, err := tx.Exec(sqlPutOutput, p.Session, o.Stage, o.Prompt, o.JSON, sealed, now); err != nil {
				return err
			}
			if _, err := tx.Exec(sqlPutStep, p.Session, p.Pipeline, o.Stage, p.Key); err != nil {
				return err
			}
		}
		for name, value := range p.Context {
			if _, err := tx.Exec(sqlPutContext, p.Session, name, c.o.Seal.Seal(contextOf(p.Session, name), value),
				now); err != nil {
				return err
			}
		}
		var size int64
		if _, err := tx.Scan(sqlSessionBytes, []any{p.Session}, &size); err != nil {
			return err
		}
		if size > maxSession {
			return fmt.Errorf("%w %s would hold %d bytes, the limit is %d: begin another one", ErrSession, p.Session, size,
				maxSession)
		}
		if p.State == Done {
			if _, err := tx.Exec("DELETE FROM steps WHERE session = ? AND pipeline = ?", p.Session, p.Pipeline); err != nil {
				return err
			}
		}
		again, err := c.repeated(tx, p.Call)
		if err != nil {
			return err
		}
		if again {
			p.Tokens = 0
		}
		state := p.State
		if state == "" {
			state = Running
		}
		_, err = tx.Exec(sqlPutRun, p.Session, p.Pipeline, state, now, p.Tokens)
		return err
	})
}

// repeated notes a call, and reports whether it was noted before.
func (c *Cache) repeated(tx *cold.Tx, call string) (again bool, err error) {
	if call == "" {
		return false, nil
	}
	res, err := tx.Exec("INSERT OR IGNORE INTO calls (id, at) VALUES (?, ?)", call, c.o.Now().UnixMilli())
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 0, err
}

// loaderTTL is how long definitions that another daemon parsed are used.
const loaderTTL = 5 * time.Minute

// Loaded returns the parsed definitions that a session saved, nil when there are none or they are too old.
func (c *Cache) Loaded(ctx context.Context, session string) ([]byte, error) {
	f, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	var at int64
	var data []byte
	found, err := f.Scan(ctx, "SELECT at, data FROM loaded WHERE session = ?", []any{session}, &at, &data)
	if errors.Is(err, cold.ErrRow) {
		return nil, nil // they are parsed again
	}
	if age := c.o.Now().Sub(time.UnixMilli(at)); !found || age >= loaderTTL || age < 0 {
		return nil, err
	}
	return data, err
}

// SaveLoaded keeps parsed definitions with a session.
func (c *Cache) SaveLoaded(ctx context.Context, session string, data []byte) error {
	f, err := c.open(ctx)
	if err != nil {
		return err
	}
	return f.Write(ctx, "keep definitions", func(tx *cold.Tx) error {
		_, err := tx.Exec(sqlPutLoaded, session, c.o.Now().UnixMilli(), data)
		return err
	})
}

// SessionEntry is one line of the list of sessions.
type SessionEntry struct {
	ID        string
	Used      time.Time
	Tokens    int64
	Pipelines int
}

// Sessions lists the sessions that pipelines ran in, the newest first.
func (c *Cache) Sessions(ctx context.Context, limit int) (out []SessionEntry, err error) {
	f, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	err = f.Each(ctx, sqlSessions, []any{limit}, func(rows cold.Row) error {
		var e SessionEntry
		var at int64
		err := rows.Scan(&e.ID, &at, &e.Tokens, &e.Pipelines)
		if e.Used = time.UnixMilli(at).UTC(); err == nil && !cold.Possible(at) {
			err = fmt.Errorf("%w: pipeline session %q: its time is impossible", cold.ErrRow, e.ID)
		}
		if err == nil {
			out = append(out, e)
		}
		return err
	})
	return out, err
}
