package reload

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Entry is a sequence: what one prompt led to, with what it takes to find it, to judge it and to do
// it again. It is sent as JSON.
type Entry struct {
	ID string `json:"id"`
	Trigger
	Text    string    `json:"prompt"` // redacted, at most maxText bytes
	Summary string    `json:"summary"`
	Actions []Action  `json:"actions"`
	More    int       `json:"more,omitempty"` // actions beyond maxActions, that are not here
	Files   []File    `json:"files,omitempty"`
	Tests   string    `json:"tests,omitempty"` // passed or failed: the last run of tests in the turn; "": there was none
	Session string    `json:"session_id"`
	Agent   string    `json:"agentId"`
	Message string    `json:"originalMessageId"` // the prompt's event
	Created time.Time `json:"createdAt"`

	Used      time.Time `json:"lastUsed"`
	Uses      int       `json:"useCount"`
	Successes int       `json:"successCount"`
	Failures  int       `json:"failureCount"`

	request index.Request
}

// File is a file that a sequence read or wrote, with the hashes of its content: the id that git
// gives it, gone if there was none, "" if it is not known.
type File struct {
	Path   event.Path `json:"path"`
	Before string     `json:"before,omitempty"`
	After  string     `json:"after,omitempty"`
	Wrote  bool       `json:"wrote,omitempty"`
	Patch  string     `json:"patch,omitempty"` // of what it wrote, as git apply takes it; "" where that is not known
}

// well reports whether the entry may be replayed: its tests did not fail.
func (e *Entry) well() bool { return e.Tests != testsFailed }

// minSteps is the number of calls from which on a sequence without edits is worth an offer: one or
// two calls are made faster than looked up.
const minSteps = 3

// offerable reports whether an entry saves an agent something: it edits a file, or has at least
// minSteps calls.
func (e *Entry) offerable() bool {
	edits := func(a Action) bool { return a.OK && a.changes() }
	return len(e.Actions) >= minSteps || slices.ContainsFunc(e.Actions, edits)
}

// idle reports whether an entry was not used for maxIdle. A last use that lies ahead is of a clock
// that ran ahead.
func (e *Entry) idle(now time.Time) bool { return now.Sub(e.Used).Abs() > maxIdle }

// The results of a turn's tests.
const (
	testsPassed = "passed"
	testsFailed = "failed"
)

// gone is the hash of a file that does not exist.
const gone = event.NoBlob

// Bounds of an entry, so that a hundred of them stay below a megabyte.
const (
	maxText    = 1024     // bytes of the prompt
	maxActions = 64       // calls
	maxFiles   = 64       // files
	maxEntry   = 16 << 10 // bytes as stored: patches are dropped if it is larger
)

// entryID returns an id that is the same whenever the same turn is recorded.
func entryID(session, message string) string {
	sum := sha256.Sum256([]byte(session + "\x00" + message))
	return "cache-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:10])
}

// decode reads a stored entry. One beyond the bounds of those that are made is refused.
func decode(raw []byte) (*Entry, error) {
	e := &Entry{}
	if err := codec.Decode(raw, e); err != nil {
		return nil, err
	}
	if e.ID == "" || len(e.Actions) > maxActions || len(e.Files) > maxFiles || len(e.Text) > maxText || e.Uses < 0 ||
		e.Successes < 0 || e.Failures < 0 {
		return nil, errors.New("its values are impossible")
	}
	return e, nil
}

// holds reports whether a stored entry refers to a file, or to anything below a folder. One that
// cannot be read may.
func holds(v cold.Blob, path string) bool {
	e, err := decode(v.Meta)
	return err != nil || e.names(event.Path(path))
}

// names reports whether an entry refers to a file, or to anything below a folder.
func (e *Entry) names(p event.Path) bool {
	below := func(q event.Path) bool { return q == p || strings.HasPrefix(string(q), string(p)+"/") }
	for _, a := range e.Actions {
		if slices.ContainsFunc(a.Paths, below) || below(a.Folder) || strings.Contains(a.Command, string(p)) {
			return true
		}
	}
	return strings.Contains(e.Text, string(p)) || slices.ContainsFunc(e.Files, func(f File) bool { return below(f.Path) })
}

// Tools lists the agent's names of the tools, each once, in order.
func (e *Entry) Tools() (out []string) {
	for _, a := range e.Actions {
		if !slices.Contains(out, a.Tool) {
			out = append(out, a.Tool)
		}
	}
	return out
}

// Steps describes the actions as they were recorded.
func (e *Entry) Steps() []Step {
	out := make([]Step, len(e.Actions))
	for i, a := range e.Actions {
		out[i] = newStep(i, a)
		out[i].Note, out[i].OK = e.note(a), a.OK
	}
	return out
}
