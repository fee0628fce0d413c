package reload

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Entry is a recorded sequence: what one prompt led to, with everything that is needed to find it,
// to judge it and to repeat it. It is sent as JSON.
type Entry struct {
	ID string `json:"id"`
	Trigger
	Text    string   `json:"prompt"` // redacted, at most maxText bytes
	Summary string   `json:"summary"`
	Actions []Action `json:"actions"`
	More    int      `json:"more,omitempty"` // number of further actions, beyond maxActions
	Files   []File   `json:"files,omitempty"`
	// passed or failed: the result of the last tests in the turn; "" if there were none.
	Tests   string    `json:"tests,omitempty"`
	Session string    `json:"session_id"`
	Agent   string    `json:"agentId"`
	Message string    `json:"originalMessageId"` // ID of the prompt's event
	Created time.Time `json:"createdAt"`

	Used      time.Time `json:"lastUsed"`
	Uses      int       `json:"useCount"`
	Successes int       `json:"successCount"`
	Failures  int       `json:"failureCount"`

	request index.Request
}

// File is a file that a sequence read or wrote. The hashes of its contents are ids that git gives
// them, gone if there was no file, or "" if they are not known.
type File struct {
	Path   event.Path `json:"path"`
	Before string     `json:"before,omitempty"`
	After  string     `json:"after,omitempty"`
	Wrote  bool       `json:"wrote,omitempty"`
	// the changes that the sequence made, in the form for git apply; "" if they are not known
	Patch string `json:"patch,omitempty"`
}

// well reports whether the entry may be replayed: its tests did not fail.
func (e *Entry) well() bool { return e.Tests != testsFailed }

// minSteps is the least number of calls in a sequence without edits that is offered, because an
// agent makes one or two calls faster than it looks them up.
const minSteps = 3

// offerable reports whether an entry can save an agent something: it edits a file, or has at least
// minSteps calls.
func (e *Entry) offerable() bool {
	edits := func(a Action) bool { return a.OK && a.changes() }
	return len(e.Actions) >= minSteps || slices.ContainsFunc(e.Actions, edits)
}

// idle reports whether an entry was not used for maxIdle. A last use that far in the future comes
// from a clock that was ahead, and counts as idle, too.
func (e *Entry) idle(now time.Time) bool { return now.Sub(e.Used).Abs() > maxIdle }

// The results of the tests in a turn.
const (
	testsPassed = "passed"
	testsFailed = "failed"
)

// gone stands for the hash of a file that does not exist.
const gone = event.NoBlob

// Limits of an entry, which keep a hundred of them below a megabyte.
const (
	maxText    = 1024     // bytes of the prompt
	maxActions = 64       // calls
	maxFiles   = 64       // files
	maxEntry   = 16 << 10 // bytes of a stored entry; a larger one loses its patches
)

// entryID returns an id that is the same whenever the same turn is recorded.
func entryID(session, message string) string {
	sum := sha256.Sum256([]byte(session + "\x00" + message))
	return "cache-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:10])
}

// holds reports whether a stored entry refers to a file, or to anything below a folder. An entry
// that cannot be read might, so holds returns true for it.
func holds(v cold.Blob, path string) bool {
	var e Entry
	return codec.Decode(v.Meta, &e) != nil || e.names(event.Path(path))
}

// names reports whether an entry refers to a file, or to anything below a folder.
func (e *Entry) names(p event.Path) bool {
	below := func(q event.Path) bool { return q.Within(p) }
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

// Steps returns the recorded actions in words.
func (e *Entry) Steps() []Step {
	out := make([]Step, len(e.Actions))
	for i, a := range e.Actions {
		out[i] = newStep(i, a)
		out[i].Note, out[i].OK = e.note(a), a.OK
	}
	return out
}

// compared says what became of the files of an entry.
type compared struct {
	unchanged float64 // share of files that are as the sequence left them, or as they were before it; 1 without files
	gone      bool    // a file is gone
	edited    bool    // the sequence changes files, and others have since changed all of them
}

// compare compares the files of an entry with those on disk. A file of unknown content counts as
// changed.
func (e *Entry) compare(w Worktree) compared {
	if len(e.Files) == 0 {
		return compared{unchanged: 1}
	}
	c := compared{}
	same, wrote, other := 0, 0, 0
	for _, f := range e.Files {
		now := w.Hash(f.Path)
		if now != "" && (now == f.After || f.Wrote && now == f.Before) {
			same++
		}
		if f.Wrote {
			wrote++
			if f.After != "" && now != f.After && now != f.Before {
				other++
			}
		}
		c.gone = c.gone || now == gone && f.After != gone
	}
	c.unchanged, c.edited = float64(same)/float64(len(e.Files)), wrote > 0 && other == wrote
	return c
}
