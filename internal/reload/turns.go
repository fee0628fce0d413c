package reload

import (
	"slices"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
)

// Turns is a consumer of the log that records which turns have ended, so that a Cache can make
// entries of them. It is safe for concurrent use.
type Turns struct {
	endsTurns func(agent string) bool

	mu    sync.Mutex // guards the fields below
	ended []boundary // turns that are not entries yet, in the order of the log
	// offered has, by session, the ids of entries that were offered to it or withheld from it. It
	// is not saved.
	offered map[string]map[string]bool
}

// boundary is an event that may have ended a turn: an end, or the beginning of the next turn.
type boundary struct {
	Session, ID string
	At          time.Time
	Begins      bool // it began the next turn, so the one before has ended
}

// maxEnded is the number of ended turns, within a day, that are remembered.
const maxEnded = 1000

// NewTurns returns the state before the first event. endsTurns tells whether an agent reports the
// ends of turns.
func NewTurns(endsTurns func(agent string) bool) *Turns {
	return &Turns{endsTurns: endsTurns, offered: map[string]map[string]bool{}}
}

// Apply records the ends of turns. Ends more than a day before the newest one are dropped. After
// its conversation was compacted or cleared, an agent no longer knows what it was offered, so its
// offers are forgotten.
func (t *Turns) Apply(e event.Event, _ *session.Session, _ session.Delta) {
	if e.Session == "" || e.Subagent != "" || e.Origin != "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	b := boundary{Session: e.Session, ID: e.ID, At: e.Time}
	switch body := e.Body.(type) {
	case event.Start:
		if body.Source == "compact" || body.Source == "clear" {
			delete(t.offered, e.Session)
		}
		return
	case event.Stop, event.End:
	default:
		if _, b.Begins = AskOf(e); !b.Begins || t.endsTurns(e.Agent) {
			return
		}
	}
	t.ended = slices.DeleteFunc(t.ended, func(old boundary) bool { return e.Time.Sub(old.At) > maxIdle })
	t.ended = append(t.ended[max(0, len(t.ended)-maxEnded+1):], b)
}

// take returns the boundaries of turns that have ended, for making entries. It reports whether
// others ended less than endSlack ago; it takes these only if all is true. An older snapshot may
// bring back boundaries that were already taken, which does no harm, because a second entry of the
// same turn replaces the first.
func (t *Turns) take(now time.Time, all bool) (due []boundary, waiting bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var rest []boundary
	for i, b := range t.ended {
		begins := func(next boundary) bool { return next.Session == b.Session && next.Begins }
		if all || b.Begins || now.Sub(b.At) >= endSlack || slices.ContainsFunc(t.ended[i+1:], begins) {
			due = append(due, b)
		} else {
			rest = append(rest, b)
		}
	}
	t.ended = rest
	return due, len(rest) > 0
}

// any reports whether there is something to take.
func (t *Turns) any() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.ended) > 0
}

// Snapshot encodes the boundaries that were not taken.
func (t *Turns) Snapshot() ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return codec.Encode(t.ended)
}

// Restore replaces the state by a snapshot; nil empties it.
func (t *Turns) Restore(saved []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = nil
	if saved == nil {
		return nil
	}
	return codec.Decode(saved, &t.ended)
}
