package reload

import (
	"crypto/sha256"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Entry is a sequence: what one prompt led to, with what it takes to find it, to judge it and to do it again.
type Entry struct {
	ID      string    `json:"id"`
	Trigger Trigger   `json:"trigger"`
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

	Used      time.Time `json:"-"` // kept beside: it changes often
	Uses      int       `json:"-"`
	Successes int       `json:"-"`
	Failures  int       `json:"-"`

	print fingerprint
	size  int // bytes as stored
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
	Ended     bool   `json:"ended"`           // the agent ended the turn
	Tests     string `json:"tests,omitempty"` // passed or failed: the last run of tests; "" if there was none
	Corrected bool   `json:"corrected,omitempty"`
}

// well reports whether nothing is known against a replay.
func (o Outcome) well() bool { return o.Ended && o.Tests != "failed" && !o.Corrected }

// gone is the hash of a file that does not exist.
const gone = event.NoBlob

// Bounds of an entry, so that a hundred of them stay below a megabyte.
const (
	maxText    = 1024     // bytes of the prompt
	maxActions = 64       // calls
	maxFiles   = 64       // files
	maxEntry   = 16 << 10 // bytes as stored: texts of edits are dropped until it fits
	maxSwap    = 8 << 10  // bytes of one old or new text
)

// alphabet of ids: 32 letters and digits that are not mistaken for one another. The low five bits of a byte are
// unbiased.
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789"

// letters are ten letters of bytes that are random, or a hash.
func letters(b []byte) string {
	out := make([]byte, 10)
	for i := range out {
		out[i] = alphabet[b[i]&31]
	}
	return string(out)
}

// entryID is the same whenever the same turn is recorded.
func entryID(session, message string) string {
	sum := sha256.Sum256([]byte(session + "\x00" + message))
	return "cache-" + letters(sum[:])
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

// note is the reason why an action cannot be replayed, "" if there is none.
func (a Action) note() string {
	switch {
	case a.Secret:
		return "a secret was taken out of its input"
	case a.Cut:
		return "its input was not recorded as a whole"
	case !a.OK:
		return "it failed"
	}
	return ""
}
