package reload

import (
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

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
