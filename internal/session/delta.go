package session

import (
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Delta says what one event changed in its session.
type Delta struct {
	Changes  []Change   // that are over now
	Opened   []Opened   // files that the event opened, or that were saved outside any tool; without a session none is first
	Terms    []string   // words that the session had not used since its prompt; of an event that opens nothing
	Hinted   bool       // a shown suggestion named one of the files that the event opened
	Resolved []Resolved // outcomes of predictions; a commit or a tick resolves those of any session
}

// First reports whether the event opened a file for the first time in its session.
func (d *Delta) First() bool {
	return slices.ContainsFunc(d.Opened, func(o Opened) bool { return o.First })
}

// Opened is a file that an event opened.
type Opened struct {
	Path  event.Path
	First bool         // for the first time in the session
	Fresh bool         // for the first time under the current prompt
	Prior []event.Path // opened before it, in the order of their first opens; of a first open only
}

// Change is a change that is over.
type Change struct {
	At    time.Time // of its last edit
	Files []Changed // by path
}

// Changed is a file of a change.
type Changed struct {
	Path   event.Path
	Hinted bool // a hint led to its last edit
}
