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

// asked remembers which events a conversation was answered at: some hooks cannot carry a hint, and the next one that
// can asks for what happened since. It forgets what the session has forgotten.
type asked struct {
	mu    sync.Mutex // guards known
	known map[conversation][]string
}

// conversation is a session's agent or one of its subagents: a hint about what one did is of no use to another.
type conversation struct{ session, subagent string }

// maxAsked bounds the conversations remembered; then all are dropped.
const maxAsked = 256

// take returns the events of a conversation that a hint can be about and that no earlier take returned: those of the
// last minutes, and those of the call that were not applied yet.
func (a *asked) take(s *session.Session, call hooks.Call, now time.Time) []event.Event {
	events := s.Recent(call.Subagent, now.Add(-session.RecentLife))
	for _, e := range call.Events { // with their texts, which those that were applied have not
		if i := slices.IndexFunc(events, func(o event.Event) bool { return o.ID == e.ID }); i >= 0 {
			events[i] = e
		} else {
			events = append(events, e)
		}
	}
	events = slices.DeleteFunc(events, func(e event.Event) bool { return !hintable(e) })
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil || len(a.known) >= maxAsked {
		a.known = map[conversation][]string{}
	}
	by := conversation{call.Session, call.Subagent}
	before := a.known[by]
	ids := make([]string, 0, len(events))
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	a.known[by] = ids
	return slices.DeleteFunc(events, func(e event.Event) bool { return slices.Contains(before, e.ID) })
}

// again lets the next call of a conversation ask a question once more, which was not answered in time.
func (a *asked) again(q question) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range q.recent {
		if by := (conversation{q.Query.Session, q.Query.Subagent}); about(q.Kind, e) {
			a.known[by] = slices.DeleteFunc(a.known[by], func(id string) bool { return id == e.ID })
		}
	}
}

// about reports whether a kind of hint is asked because of an event that asked.take returns.
func about(k prefetch.Kind, e event.Event) bool {
	switch k {
	case prefetch.Start:
		return e.Kind() == event.KindStart
	case prefetch.Prompt, prefetch.Reload:
		return e.Kind() == event.KindPrompt
	case prefetch.Rescue:
		return e.Kind() == event.KindFailed
	case prefetch.Search:
		return session.FailedSearch(e)
	}
	return k == prefetch.Partner && prefetch.LooksAtChange(e)
}

// hintable reports whether a hint can be about an event: a start and a prompt only where the agent takes no text at
// them.
func hintable(e event.Event) bool {
	switch e.Kind() {
	case event.KindStart:
		return !agents.Takes(e.Agent, "SessionStart")
	case event.KindPrompt:
		return !agents.Takes(e.Agent, "UserPromptSubmit")
	}
	return e.Kind() == event.KindFailed || prefetch.LooksAtChange(e) || session.FailedSearch(e)
}

// uncommitted are the files that a session has edited and that are not committed since, with the edits of own that were
// not applied yet; the newest last.
func uncommitted(s *session.Session, own []event.Event) []event.Path {
	change := s.Uncommitted
	for _, e := range own {
		if e.Edits() && e.Call().OK() {
			change = session.WithEdit(change, e.Paths())
		}
	}
	return change
}
