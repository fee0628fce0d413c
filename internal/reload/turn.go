package reload

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/session"
)

// The types of triggers.
const (
	Prompt  = "prompt"  // the words of a person, or of a timer
	Command = "command" // a slash command; Target is its name
)

// Trigger is what began a sequence.
type Trigger struct {
	Type   string `json:"triggerType"`
	Target string `json:"triggerTarget"`
}

// Ask is the request that began a turn.
type Ask struct {
	Trigger
	Text string // redacted
	ID   string // ID of its event
}

// AskOf returns the request in an event: a person's words, a slash command, or the text of a timer.
// ok is false for other events. A prompt whose text is missing counts as a person's words.
func AskOf(e event.Event) (a Ask, ok bool) {
	switch b := e.Body.(type) {
	case event.Prompt:
		ok = true
	case event.Call:
		ok = b.Tool == event.ToolScheduled
	}
	a = AskFor(e.Text())
	a.ID = e.ID
	return a, ok
}

// commandName distinguishes /review and /plugin:name from a path.
var commandName = index.LazyRegexp(`^[A-Za-z0-9_:-]{1,64}$`)

// AskFor returns the request in a person's words. A prompt that calls a command, such as /review
// 12, is split.
func AskFor(prompt string) Ask {
	rest, slash := strings.CutPrefix(prompt, "/")
	if name, args, _ := strings.Cut(rest, " "); slash && commandName().MatchString(name) {
		return Ask{Trigger: Trigger{Command, name}, Text: strings.TrimSpace(args)}
	}
	return Ask{Trigger: Trigger{Type: Prompt}, Text: prompt}
}

// turn is what a session did in answer to one Ask.
type turn struct {
	asked   Ask
	agent   string
	actions []Action
	more    int       // number of actions beyond maxActions
	newest  time.Time // time of its newest prompt or call
	end     string    // ID of the event that ended it; "" if it goes on or was interrupted
}

// turnsOf splits a session's events, given in the order of the log, into turns. endsTurns tells
// whether an agent reports the ends of turns; if not, the next prompt or the end of the session
// ends a turn. Events of subagents are left out, because the agent itself has not seen what its
// subagents read.
func turnsOf(thread []cold.Numbered, endsTurns func(agent string) bool) (out []*turn) {
	for _, e := range thread {
		if e.Subagent != "" {
			continue
		}
		var t *turn
		if len(out) > 0 {
			t = out[len(out)-1]
		}
		asked, begins := AskOf(e.Event)
		_, ended := e.Body.(event.End)
		if _, stopped := e.Body.(event.Stop); t != nil && t.end == "" &&
			(stopped || (begins || ended) && !endsTurns(t.agent)) {
			t.end = e.ID
		}
		switch {
		case begins:
			out = append(out, &turn{asked: asked, agent: e.Agent, newest: e.Time})
		case t != nil:
			t.add(e.Event)
		}
	}
	return out
}

// add adds what an event tells about a call.
func (t *turn) add(e event.Event) {
	a, ok := newAction(e)
	if !ok {
		return
	}
	t.newest = e.Time
	n := len(t.actions)
	switch {
	case n > 0 && callOf(t.actions[n-1].ID) == callOf(a.ID) && callOf(a.ID) != a.ID:
		t.actions[n-1].join(a)
	case n >= maxActions:
		t.more++
	default:
		t.actions = append(t.actions, a)
	}
}

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
