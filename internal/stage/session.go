package stage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/cold"
)

// Session is what earlier pipelines have stored in a session.
type Session struct {
	Known   bool                       `json:"known"`   // a pipeline has already run in it
	Outputs []Output                   `json:"outputs"` // outputs of its stages, oldest first
	Context map[string]json.RawMessage `json:"context"` // values by name
	Run                                // the last run of the pipeline that was asked about
}

// Run tells how far a pipeline came in a session.
type Run struct {
	State  string `json:"state,omitempty"` // "", running, done or failed
	Tokens int64  `json:"tokens"`          // tokens of all runs of the pipeline
}

// Output is the output of a stage. Two pipelines may have stages of the same name with different
// prompts.
type Output struct {
	Stage  string `json:"stage"`
	Prompt string `json:"prompt,omitempty"` // "" for a stage without a prompt
	JSON   bool   `json:"json"`
	Value  []byte `json:"value,omitempty"`
	Key    string `json:"key,omitempty"` // the key of the stage's run, if the pipeline's run was not completed
}

// The states of a run.
const (
	Running = "running"
	Done    = "done"
	Failed  = "failed"
)

const (
	maxSession  = 50 << 20            // bytes that one session keeps
	sessionKeep = 90 * 24 * time.Hour // a session in which no pipeline ran for this long is deleted
)

// ErrSession means that a session is full or its id is not valid.
var ErrSession = errors.New("the session")

// The parts of a session. Each is a blob.
const (
	partRun     = "run"     // for each pipeline: a storedRun as meta
	partOutput  = "output"  // for each stage and prompt: a storedOutput as meta, its value as data
	partContext = "context" // for each value of the context: its name as meta, the value as data
)

type storedRun struct {
	Pipeline string
	Done     int // number of its completed runs
	Run
	Calls []string // the ids of the newest calls that reported progress
}

type storedOutput struct {
	Output
	Pipeline string
	Done     int // storedRun.Done at that time
}

// keptCalls is enough calls to recognize one that is repeated, because the stages of a run report
// one by one.
const keptCalls = 16

// keyOf returns the name of a part of a session. Names do not contain NUL.
func keyOf(session, part string, names ...string) string {
	return strings.Join(append([]string{session, part}, names...), "\x00")
}

// run reads how far a pipeline came. If that cannot be read the pipeline begins again.
func (c *Cache) run(ctx context.Context, session, pipeline string) (r storedRun, err error) {
	v, _, err := c.sessions.Get(ctx, keyOf(session, partRun, pipeline))
	if errors.Is(err, cold.ErrRow) || errors.Is(err, cold.ErrLostKey) {
		err = nil
	}
	if codec.Decode(v.Meta, &r) != nil {
		r = storedRun{}
	}
	r.Pipeline = pipeline
	return r, err
}

// Session returns what is stored in a session, and how far the pipeline's last run came.
func (c *Cache) Session(ctx context.Context, id, pipeline string) (*Session, error) {
	r, err := c.run(ctx, id, pipeline)
	if err != nil {
		return nil, err
	}
	s := &Session{Outputs: []Output{}, Context: map[string]json.RawMessage{}, Run: r.Run}
	found, err := c.sessions.List(ctx, cold.Selection{Session: id})
	if err != nil {
		return nil, err
	}
	for _, v := range slices.Backward(found) { // the list has the newest first
		if v.Part == partRun {
			continue
		}
		v, ok, err := c.sessions.Get(ctx, v.Key)
		if err != nil {
			return nil, err
		}
		var o storedOutput
		var name string
		switch {
		case !ok:
		case v.Part == partContext && codec.Decode(v.Meta, &name) == nil && json.Valid(v.Data):
			s.Context[name] = v.Data
		case v.Part == partOutput && codec.Decode(v.Meta, &o) == nil && (!o.JSON || json.Valid(v.Data)):
			if o.Value = v.Data; o.Pipeline != pipeline || o.Done != r.Done {
				o.Key = ""
			}
			s.Outputs = append(s.Outputs, o.Output)
		default:
			return nil, fmt.Errorf("%w: an %s of session %q", cold.ErrRow, v.Part, id)
		}
	}
	s.Known = len(s.Outputs) > 0 || len(s.Context) > 0 || s.State != ""
	return s, nil
}

// Progress is a report of a running pipeline. Each part may be missing.
type Progress struct {
	Session  string                     `json:"session_id"`
	Pipeline string                     `json:"id"`
	State    string                     `json:"state,omitempty"`   // Running begins a run; Done and Failed end it
	Output   *Output                    `json:"output,omitempty"`  // of a stage that succeeded
	Context  map[string]json.RawMessage `json:"context,omitempty"` // by name
	Tokens   int64                      `json:"tokens,omitempty"`  // tokens to add
	Call     string                     `json:"-"`                 // id of the call; a repeated call counts once
}

// Progress stores a report, completely or not at all.
func (c *Cache) Progress(ctx context.Context, p Progress) error {
	if p.Session == "" || len(p.Session) > 128 {
		return fmt.Errorf("%w %.40q: an id has 1 to 128 bytes", ErrSession, p.Session)
	}
	c.mu.Lock() // a run is read, and written back with more tokens
	defer c.mu.Unlock()
	r, err := c.run(ctx, p.Session, p.Pipeline)
	if err != nil {
		return err
	}
	if slices.Contains(r.Calls, p.Call) {
		return nil
	}
	if r.State = p.State; r.State == "" {
		r.State = Running
	}
	var parts []cold.Blob
	if o := p.Output; o != nil {
		if o.JSON && !json.Valid(o.Value) {
			return wrong("the output of %s is not JSON", o.Stage)
		}
		about := storedOutput{*o, p.Pipeline, r.Done}
		about.Value = nil
		parts = append(parts, partOf(p.Session, partOutput, about, o.Value, o.Stage, o.Prompt))
	}
	if r.State == Done {
		r.Done++
	}
	for name, value := range p.Context {
		parts = append(parts, partOf(p.Session, partContext, name, value, name))
	}
	r.Tokens += p.Tokens
	if p.Call != "" {
		r.Calls = append(r.Calls[max(0, len(r.Calls)-keptCalls+1):], p.Call)
	}
	_, err = c.sessions.Put(ctx, append(parts, partOf(p.Session, partRun, r, nil, p.Pipeline))...)
	if full, is := errors.AsType[*cold.QuotaError](err); is {
		return fmt.Errorf("%w %s would hold %d bytes, the limit is %d: start another session", ErrSession, p.Session,
			full.Used+full.Asked, full.Limit)
	}
	return err
}

// part returns the blob for a part of a session.
func partOf(session, part string, about any, data []byte, names ...string) cold.Blob {
	meta, err := codec.Encode(about)
	if err != nil {
		panic(err) // these types can always be encoded
	}
	return cold.Blob{Key: keyOf(session, part, names...), Session: session, Part: part, Size: int64(len(data)),
		Meta: meta, Data: data}
}

// Sessions returns the ids of the sessions in which pipelines ran, at most limit, the newest first.
func (c *Cache) Sessions(ctx context.Context, limit int) (ids []string, err error) {
	runs, err := c.sessions.List(ctx, cold.Selection{Part: partRun})
	for _, v := range runs {
		if len(ids) < limit && !slices.Contains(ids, v.Session) {
			ids = append(ids, v.Session)
		}
	}
	return ids, err
}

// ForgetSession deletes what pipelines stored in a session. It reports whether there was anything.
func (c *Cache) ForgetSession(ctx context.Context, id string) (had bool, err error) {
	n, _, err := c.sessions.Drop(ctx, cold.Selection{Session: id})
	return n > 0, err
}
