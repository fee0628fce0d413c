package session

import (
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Delta tells what one event changed in its session.
type Delta struct {
	Changes []Change // changes that have ended
	// Files that the event opened, or that were saved outside of any tool. Without a session no
	// file is First.
	Opened []Opened
	// Words that the session had not used since its prompt, for an event that opens nothing.
	Terms  []string
	Hinted bool // a shown hint named one of the files that the event opened
	// Outcomes of predictions. A commit or a tick may resolve those of any session.
	Resolved []Resolved
}

// First reports whether the event opened a file for the first time in its session.
func (d *Delta) First() bool {
	return slices.ContainsFunc(d.Opened, func(o Opened) bool { return o.First })
}

// Opened is a file that an event opened.
type Opened struct {
	Path  event.Path
	First bool // for the first time in the session
	Fresh bool // the first open under the current prompt
	// For a first open: the files that were opened before it, in the order of their first opens.
	Prior []event.Path
}

// Change is a change that has ended.
type Change struct {
	At    time.Time // time of its last edit
	Files []Changed // the files of the change, ordered by path
}

// Changed is one file of a change.
type Changed struct {
	Path   event.Path
	Hinted bool // a hint led to its last edit
}
