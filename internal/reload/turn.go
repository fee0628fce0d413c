package reload

import (
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// turns is what is folded of the event log: what each session is doing, without a text. It is safe for concurrent use.
type turns struct {
	endsTurns func(agent string) bool

	mu   sync.Mutex       // guards what follows
	Now  map[string]*turn `json:"now"`            // by session
	Over []over           `json:"over,omitempty"` // of which no entry was made yet
}

// turn is a sequence while it is being recorded.
type turn struct {
	Asked   Ask       `json:"asked"` // its ID names the event that has the words
	Agent   string    `json:"agent"`
	State   string    `json:"state,omitempty"` // of the worktree, if it began with a slash command
	Actions []Action  `json:"actions,omitempty"`
	More    int       `json:"more,omitempty"`
	Newest  time.Time `json:"newest"`         // of its prompt and calls
	Ended   time.Time `json:"ended,omitzero"` // when the agent ended it; zero: it has not
}

// over is a turn that is over, nil if it was before, and the prompt that came next, if one did.
type over struct {
	Session string `json:"session"`
	Turn    *turn  `json:"turn,omitempty"`
	Next    string `json:"next,omitempty"` // ID of its event
}

// maxTurns bounds the sessions that are recorded at once; the one without a call for the longest is dropped.
const maxTurns = 256

// fold takes an event of a session. It reports whether a turn may be over. What a subagent does is left out: the agent
// itself has not seen what its subagents read.
func (l *turns) fold(e event.Event, off bool) bool {
	if e.Session == "" || e.Subagent != "" {
		return false
	}
	if asked, ok := AskOf(e); ok {
		l.begin(e, asked, off)
		return true
	}
	t := l.Now[e.Session]
	if t == nil {
		return false
	}
	switch e.Body.(type) {
	case event.Stop:
		t.Ended = e.Time
		return true
	case event.End:
		if !l.endsTurns(e.Agent) {
			t.Ended = e.Time
		} else if t.Ended.IsZero() {
			delete(l.Now, e.Session) // interrupted
		}
		return true
	}
	t.add(e)
	return false
}

// begin begins a turn. It ends the one before, for agents that do not report the ends of turns.
func (l *turns) begin(e event.Event, asked Ask, off bool) {
	o := over{Session: e.Session}
	if t := l.Now[e.Session]; t != nil && (!t.Ended.IsZero() || !l.endsTurns(t.Agent)) {
		o.Turn = t
	}
	b, typed := e.Body.(event.Prompt)
	if typed {
		o.Next = e.ID
	}
	if o.Turn != nil || typed {
		l.Over = append(l.Over, o)
	}
	if delete(l.Now, e.Session); off {
		return
	}
	if len(l.Now) >= maxTurns {
		oldest := ""
		for id, t := range l.Now {
			if oldest == "" || t.Newest.Before(l.Now[oldest].Newest) {
				oldest = id
			}
		}
		delete(l.Now, oldest)
	}
	asked.Text = ""
	l.Now[e.Session] = &turn{Asked: asked, Agent: e.Agent, State: b.State, Newest: e.Time}
}

// add adds what an event says of a call.
func (t *turn) add(e event.Event) {
	a, ok := newAction(e)
	if !ok {
		return
	}
	t.Newest = e.Time
	n := len(t.Actions)
	switch {
	case n > 0 && callOf(t.Actions[n-1].ID) == callOf(a.ID) && callOf(a.ID) != a.ID:
		t.Actions[n-1].join(a)
	case n >= maxActions:
		t.More++
	default:
		t.Actions = append(t.Actions, a)
	}
}

// take removes the turns that are over. It reports whether others ended less than endSlack ago.
func (l *turns) take(now time.Time, all bool) (out []over, waiting bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out, l.Over = l.Over, nil
	for session, t := range l.Now {
		switch {
		case t.Ended.IsZero():
		case all || now.Sub(t.Ended) >= endSlack:
			out = append(out, over{Session: session, Turn: t})
			delete(l.Now, session)
		default:
			waiting = true
		}
	}
	return out, waiting
}

// clear drops all turns.
func (l *turns) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Now, l.Over = map[string]*turn{}, nil
}
