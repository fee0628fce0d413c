package stage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
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

const (
	maxSession  = 50 << 20            // bytes that one session keeps
	sessionKeep = 90 * 24 * time.Hour // after which a session that no pipeline ran in is dropped
)

// ErrSession is wrapped when a session is full or its name is none.
var ErrSession = errors.New("the session")

// The parts of a session.
const (
	partRun     = "run"     // of each pipeline: storedRun
	partOutput  = "output"  // of each stage and prompt: storedOutput, and the value as data
	partContext = "context" // of each name: the value as data
)

// storedRun is how far a pipeline came in a session.
type storedRun struct {
	State  string
	Tokens int64
	Ended  int // runs that were done: steps of those do not count
}

// storedOutput is what a stage of a pipeline left, beside its value. Two pipelines may have a stage of one name and
// different prompts.
type storedOutput struct {
	Stage, Prompt string
	JSON          bool
	Pipeline, Key string // of the run that made it
	Ended         int    // as of storedRun at that time
}

// keyOf names a part of a session. No name has a NUL.
func keyOf(session, part string, names ...string) string {
	return strings.Join(append([]string{session, part}, names...), "\x00")
}

// run reads how far a pipeline came. What cannot be read begins again.
func (c *Cache) run(ctx context.Context, session, pipeline string) (r storedRun, err error) {
	v, _, err := c.sessions.Get(ctx, keyOf(session, partRun, pipeline))
	if errors.Is(err, cold.ErrRow) || errors.Is(err, cold.ErrLostKey) {
		err = nil
	}
	if json.Unmarshal(v.Meta, &r) != nil || r.State != Running && r.State != Done && r.State != Failed {
		r = storedRun{}
	}
	return r, err
}

// Session reads what a session holds, and how far the pipeline's last run came.
func (c *Cache) Session(ctx context.Context, id, pipeline string) (*Session, error) {
	s := &Session{ID: id, Context: map[string]json.RawMessage{}, Steps: map[string]string{}}
	r, err := c.run(ctx, id, pipeline)
	if err != nil {
		return nil, err
	}
	s.State, s.Tokens = r.State, r.Tokens
	found, _, err := c.sessions.List(ctx, cold.Selection{Session: id})
	if err != nil {
		return nil, err
	}
	slices.Reverse(found) // the list has the newest first
	for _, v := range found {
		if v.Part == partRun {
			continue
		}
		v, ok, err := c.sessions.Get(ctx, v.Key)
		if err != nil {
			return nil, err
		}
		if ok {
			err = s.add(v, pipeline, r)
		}
		if err != nil {
			return nil, err
		}
	}
	s.Known = len(s.Outputs) > 0 || len(s.Context) > 0 || s.State != ""
	return s, nil
}

// add adds a stored part.
func (s *Session) add(v cold.Blob, pipeline string, r storedRun) error {
	if v.Part == partContext {
		if !json.Valid(v.Data) {
			return fmt.Errorf("%w: a context value of session %q is no JSON", cold.ErrRow, s.ID)
		}
		s.Context[v.Key[strings.LastIndexByte(v.Key, 0)+1:]] = v.Data
		return nil
	}
	var o storedOutput
	if err := json.Unmarshal(v.Meta, &o); err != nil || o.JSON && !json.Valid(v.Data) {
		return fmt.Errorf("%w: output of %q in session %q", cold.ErrRow, o.Stage, s.ID)
	}
	s.Outputs = append(s.Outputs, Output{Stage: o.Stage, Prompt: o.Prompt, JSON: o.JSON, Value: v.Data})
	if o.Pipeline == pipeline && o.Ended == r.Ended && r.State != Done {
		s.Steps[o.Stage] = o.Key
	}
	return nil
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
	if o := p.Output; o != nil && o.JSON && !json.Valid(o.Value) {
		return fmt.Errorf("%w: the output of %s is not JSON", ErrRequest, o.Stage)
	}
	c.mu.Lock() // a run is read, and written with more tokens
	defer c.mu.Unlock()
	r, err := c.run(ctx, p.Session, p.Pipeline)
	if err != nil {
		return err
	}
	var parts []cold.Packed
	if o := p.Output; o != nil {
		parts = append(parts, c.part(p.Session, partOutput, o.Value,
			storedOutput{o.Stage, o.Prompt, o.JSON, p.Pipeline, p.Key, r.Ended}, o.Stage, o.Prompt))
	}
	for name, value := range p.Context {
		parts = append(parts, c.part(p.Session, partContext, value, nil, name))
	}
	if r.State = p.State; r.State == "" {
		r.State = Running
	}
	if r.State == Done {
		r.Ended++
	}
	_, err = c.sessions.Write(ctx, "keep progress", func(tx *cold.BlobTx) error {
		_, again, err := tx.Answered(p.Call)
		if err != nil {
			return err
		}
		now := r
		if !again {
			now.Tokens += p.Tokens
		}
		for _, part := range append(parts, c.part(p.Session, partRun, nil, now, p.Pipeline)) {
			if err := tx.Put(part); err != nil {
				return err
			}
		}
		return tx.Answer(p.Call, nil)
	})
	if full := (*cold.QuotaError)(nil); errors.As(err, &full) {
		return fmt.Errorf("%w %s would hold %d bytes, the limit is %d: begin another one", ErrSession, p.Session,
			full.Used+full.Asked, full.Limit)
	}
	return err
}

// part makes a blob of a part of a session.
func (c *Cache) part(session, kind string, data []byte, about any, names ...string) cold.Packed {
	meta, err := json.Marshal(about)
	if err != nil {
		panic(err) // the types are the package's own
	}
	return c.sessions.Pack(cold.Blob{Key: keyOf(session, kind, names...), Session: session, Part: kind,
		Size: int64(len(data)), Meta: meta, Data: data})
}

// loaderTTL is how long definitions that another daemon parsed are used.
const loaderTTL = 5 * time.Minute

// Loaded returns the parsed definitions that a session saved, nil when there are none or they are too old.
func (c *Cache) Loaded(ctx context.Context, session string) ([]byte, error) {
	v, found, err := c.definitions.Get(ctx, session)
	if errors.Is(err, cold.ErrRow) || errors.Is(err, cold.ErrLostKey) {
		return nil, nil // they are parsed again
	}
	if age := c.o.Now().Sub(v.Written); !found || age >= loaderTTL || age < 0 {
		return nil, err
	}
	return v.Data, err
}

// SaveLoaded keeps parsed definitions with a session.
func (c *Cache) SaveLoaded(ctx context.Context, session string, data []byte) error {
	p := c.definitions.Pack(cold.Blob{Key: session, Session: session, Data: data})
	_, err := c.definitions.Write(ctx, "keep definitions", func(tx *cold.BlobTx) error { return tx.Put(p) })
	return err
}

// SessionEntry is one line of the list of sessions.
type SessionEntry struct {
	ID        string
	Used      time.Time
	Tokens    int64
	Pipelines int
}

// Sessions lists the sessions that pipelines ran in, at most limit of them, the newest first.
func (c *Cache) Sessions(ctx context.Context, limit int) (out []SessionEntry, err error) {
	runs, _, err := c.sessions.List(ctx, cold.Selection{Part: partRun})
	place := map[string]int{}
	for _, v := range runs {
		i, known := place[v.Session]
		if !known {
			if len(out) == limit {
				continue
			}
			i = len(out)
			place[v.Session], out = i, append(out, SessionEntry{ID: v.Session, Used: v.Written})
		}
		var r storedRun
		_ = json.Unmarshal(v.Meta, &r) // one that cannot be read has spent nothing
		out[i].Tokens, out[i].Pipelines = out[i].Tokens+r.Tokens, out[i].Pipelines+1
	}
	return out, err
}

// ForgetSession deletes what pipelines stored in a session. It reports whether there was something besides definitions.
func (c *Cache) ForgetSession(ctx context.Context, id string) (had bool, err error) {
	gone, err := c.sessions.DropSession(ctx, id)
	_, derr := c.definitions.DropSession(ctx, id)
	return gone.Count > 0, errors.Join(err, derr)
}

// partNames reports whether a part of a session holds a path, in its value or its name.
func partNames(v cold.Blob, path string) bool {
	for _, text := range [][]byte{[]byte(v.Key), v.Meta, v.Data} {
		if bytes.Contains(text, []byte(path)) {
			return true
		}
	}
	return false
}
