package reload

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Entry is a sequence: what one prompt led to, with what it takes to find it, to judge it and to do it again. It is
// stored as JSON.
type Entry struct {
	ID string `json:"id"`
	Trigger
	Text    string    `json:"text"` // of the prompt, redacted, at most maxText bytes
	State   string    `json:"state,omitempty"`
	Summary string    `json:"summary"`
	Actions []Action  `json:"actions"`
	More    int       `json:"more,omitempty"` // actions beyond maxActions, that are not here
	Files   []File    `json:"files,omitempty"`
	Outcome Outcome   `json:"outcome"`
	Session string    `json:"session"`
	Agent   string    `json:"agent"`   // agentId in the seed's form
	Message string    `json:"message"` // originalMessageId: the prompt's event
	Created time.Time `json:"created"`

	Used      time.Time `json:"used"`
	Uses      int       `json:"uses"`
	Successes int       `json:"successes"`
	Failures  int       `json:"failures"`

	request index.Request
	size    int // bytes as stored
}

// File is a file that a sequence read or wrote, with the hashes of its content: the id that git gives it, gone if
// there was none, "" if it is not known.
type File struct {
	Path   event.Path `json:"path"`
	Before string     `json:"before,omitempty"`
	After  string     `json:"after,omitempty"`
	Wrote  bool       `json:"wrote,omitempty"`
}

// Outcome is how a turn ended, as far as events show it.
type Outcome struct {
	Ended bool   `json:"ended"`           // the agent ended the turn
	Tests string `json:"tests,omitempty"` // passed or failed: the last run of tests; "" if there was none
}

// well reports whether nothing is known against a replay.
func (o Outcome) well() bool { return o.Ended && o.Tests != "failed" }

// gone is the hash of a file that does not exist.
const gone = event.NoBlob

// Bounds of an entry, so that a hundred of them stay below a megabyte.
const (
	maxText    = 1024     // bytes of the prompt
	maxActions = 64       // calls
	maxFiles   = 64       // files
	maxEntry   = 16 << 10 // bytes as stored: texts of edits are dropped until it fits
)

// entryID is the same whenever the same turn is recorded.
func entryID(session, message string) string {
	sum := sha256.Sum256([]byte(session + "\x00" + message))
	return "cache-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:10])
}

// decode reads a stored entry. One beyond the bounds of those that are made is refused.
func decode(raw []byte) (*Entry, error) {
	e := &Entry{}
	if err := json.Unmarshal(raw, e); err != nil {
		return nil, err
	}
	if e.ID == "" || len(e.Actions) > maxActions || len(e.Files) > maxFiles || len(e.Text) > maxText || e.Uses < 0 ||
		e.Successes < 0 || e.Failures < 0 {
		return nil, errors.New("its values are impossible")
	}
	return e, nil
}

// holds reports whether a stored entry refers to a file, or to anything below a folder. One that cannot be read may.
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

// ReadOnly reports whether no action changes anything: such a sequence may be replayed without asking.
func (e *Entry) ReadOnly() bool {
	return len(e.Actions) > 0 && !slices.ContainsFunc(e.Actions, func(a Action) bool { return !a.Act.ReadOnly() })
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
		out[i].Note, out[i].OK = a.note(), a.OK
	}
	return out
}
