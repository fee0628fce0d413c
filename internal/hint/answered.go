package hint

import (
	"slices"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/prefetch"
)

// answered remembers, for each conversation, about which events questions were already asked. At
// some events the agent takes no text, so the next event at which it does asks about everything
// that happened since. Events that the session has forgotten are forgotten here, too. It also remembers
// what the person was shown at the end of a turn, so that the same findings are shown only once.
type answered struct {
	mu    sync.Mutex // guards known
	known map[conversation]*asked
}

// conversation is a session's agent, or one of its subagents. A hint about what one of them did is
// of no use to another.
type conversation struct{ session, subagent string }

// asked tells about which events questions were asked, and what the last findings were.
type asked struct {
	// by id of an event: true if it was asked about, false if the answer came too late, so that it is asked
	// about once more
	about map[string]bool
	shown string // what the person was shown last, at the end of a turn
}

// maxConversations is the number of conversations that are remembered. When it is exceeded all are
// dropped.
const maxConversations = 256

// of returns what is known about a conversation. The caller holds mu.
func (a *answered) of(by conversation) *asked {
	if a.known == nil || len(a.known) >= maxConversations {
		a.known = map[conversation]*asked{}
	}
	if a.known[by] == nil {
		a.known[by] = &asked{about: map[string]bool{}}
	}
	return a.known[by]
}

// take returns the events of a conversation that a hint can be about and that were not asked about
// yet: those of the last minutes, and those of this call that the session does not have yet. An
// agent that takes text at a start or a prompt is answered there, so later calls leave these events
// out, unless the answer came too late.
func (a *answered) take(s *session.Session, call hooks.Call, now time.Time) []event.Event {
	events := s.Recent(call.Subagent, now.Add(-session.RecentFor))
	for _, e := range call.Events { // they have their texts, unlike events that were applied
		if i := slices.IndexFunc(events, func(o event.Event) bool { return o.ID == e.ID }); i >= 0 {
			events[i] = e
		} else {
			events = append(events, e)
		}
	}
	events = slices.DeleteFunc(events, func(e event.Event) bool { return kindAbout(e) == "" })
	a.mu.Lock()
	defer a.mu.Unlock()
	x := a.of(conversation{call.Session, call.Subagent})
	before := x.about
	x.about = map[string]bool{}
	return slices.DeleteFunc(events, func(e event.Event) bool {
		x.about[e.ID] = true
		done, known := before[e.ID]
		return done || !known && takesText(e)
	})
}

// again lets the next call of a conversation ask a question once more, because it was not answered
// in time.
func (a *answered) again(q question) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x := a.of(conversation{q.Query.Session, q.Query.Subagent})
	for _, e := range q.late {
		if k := kindAbout(e); k == q.Kind || k == prefetch.Prompt && q.Kind == prefetch.Reload {
			x.about[e.ID] = false
		}
	}
}

// news returns a text for the person, or "" if it is the text that the session was shown last.
func (a *answered) news(session, text string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	x := a.of(conversation{session, ""})
	if text == x.shown {
		return ""
	}
	x.shown = text
	return text
}

// kindAbout returns the kind of hint that is asked because of an event, "" if none. Because of a
// prompt, Reload is asked, too.
func kindAbout(e event.Event) prefetch.HintKind {
	switch {
	case e.Kind() == event.KindStart:
		return prefetch.Start
	case e.Kind() == event.KindPrompt:
		return prefetch.Prompt
	case e.Kind() == event.KindFailed:
		return prefetch.Rescue
	case session.FailedSearch(e):
		return prefetch.Search
	case looksAtChange(e):
		return prefetch.Partner
	}
	return ""
}

// takesText reports whether the agent takes text at the event itself, which is a start or a prompt.
func takesText(e event.Event) bool {
	switch e.Kind() {
	case event.KindStart:
		return agents.Takes(e.Agent, "SessionStart")
	case event.KindPrompt:
		return agents.Takes(e.Agent, "UserPromptSubmit")
	}
	return false
}
