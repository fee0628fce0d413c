package hooks

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/redact"

	"time"
)

// CallContext is where and when calls were made: everything about them that is not the calls
// themselves.
type CallContext struct {
	Repo     Repo
	Files    *index.Locator // of the folder in which the calls were made
	Agent    string
	Session  string
	Subagent string
	Turn     string // the agent's id of the prompt
	Batch    string // the id of the first of several calls made together
	Past     bool   // read from a transcript: the files of today are not those of the call
	Time     time.Time
}

// event is a new event of these calls. IDs repeat when the same call is delivered twice: by
// PostToolUse and PostToolBatch, by settings and a plugin, by the hook and later by the transcript.
func (s *CallContext) event(id string, b event.Body) event.Event {
	return event.Event{ID: id, Time: s.Time, Agent: s.Agent, Session: s.Session, Subagent: s.Subagent, Turn: s.Turn,
		Body: redact.Identify(b)}
}

// Compacted is the event of a session that goes on after its conversation was summarized. id is the
// agent's.
func (s *CallContext) Compacted(id string) event.Event {
	return s.event("start:"+id, event.Start{Source: "compact"})
}

// mentions finds the files that a text names.
func (s *CallContext) mentions(text string, listing bool, dirs ...string) []event.Path {
	return s.Files.Mentions(event.Clip(text, maxOutput), listing, dirs...)
}

// store is how every text leaves this package: redacted before it is cut, so that no half of a
// token stays.
func store(s string, max int) string {
	return event.Clip(redact.Text(event.Clip(s, 4*max)), max)
}
