package hooks

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/redact"

	"time"
)

// CallContext tells where and when calls were made: everything about them except the calls
// themselves.
type CallContext struct {
	Repo     Repo
	Files    *index.Locator // for the folder in which the calls were made
	Agent    string
	Session  string
	Subagent string
	Turn     string // the agent's id of the prompt
	Batch    string // the id of the first of several calls that were made together
	Past     bool   // read from a transcript, so today's files are not those of the call
	Time     time.Time
}

// event returns a new event of these calls. The same call may be delivered twice, by PostToolUse
// and PostToolBatch, by settings and a plugin, or by the hook and later by the transcript; its
// events then get the same IDs.
func (s *CallContext) event(id string, b event.Body) event.Event {
	return event.Event{ID: id, Time: s.Time, Agent: s.Agent, Session: s.Session, Subagent: s.Subagent, Turn: s.Turn,
		Body: redact.Identify(b)}
}

// Compacted returns the event for a session that continues after its conversation was summarized.
// id is the agent's.
func (s *CallContext) Compacted(id string) event.Event {
	return s.event("start:"+id, event.Start{Source: "compact"})
}

// mentions returns the files that a text names.
func (s *CallContext) mentions(text string, listing bool, dirs ...string) []event.Path {
	return s.Files.Mentions(event.Clip(text, maxOutput), listing, dirs...)
}

// store prepares a text for storing. It redacts before it cuts, so that no half of a secret
// remains. Every text leaves this package through it.
func store(s string, max int) string {
	return event.Clip(redact.Text(event.Clip(s, 4*max)), max)
}
