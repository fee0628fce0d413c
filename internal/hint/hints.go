package hint

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/reload"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/internal/session/contexts"
	"github.com/aoa-dev/aoa/prefetch"
)

// Options of Hints. All are needed.
type Options struct {
	Settings  *config.Settings
	Now       func() time.Time
	Log       *slog.Logger
	Factor    int64 // how many times longer than usual hooks wait for an answer
	Events    Log
	DB        *cold.DB
	Sessions  *session.Sessions
	Contexts  *contexts.Assembler
	Sequences *reload.Cache
	Count     Counter
}

// Log receives what was said, and shows a question the events that came just before it.
type Log interface {
	Add(events ...event.Event)
	SyncBriefly(ctx context.Context)
}

// Counter counts the decisions about questions, by kind.
type Counter interface{ Decision(kind, why string) }

// Hints answers the hooks of all checkouts. It is safe for concurrent use.
type Hints struct {
	o        Options
	answered answered
	told     findings
}

// New makes Hints before the first question.
func New(o Options) *Hints { return &Hints{o: o} }

// Patience is the time from the request to the answer: nine tenths of what the hook client waits.
// What comes later is not read.
func (h *Hints) Patience(call hooks.Call) time.Duration {
	wait, _ := agents.EventOf(call.Agent, call.Event).Deadline()
	return wait * 9 / 10 * time.Duration(h.o.Factor)
}

// leastSpace is the number of bytes that a whole fact takes: with less left, a question is left for
// the next call.
const leastSpace = 200

// Answer returns what the agent gets at a call, or nil.
func (h *Hints) Answer(ctx context.Context, w *checkout.Checkout, call hooks.Call) []byte {
	h.o.Events.SyncBriefly(ctx)
	if stops(call) { // no model reads it
		return hooks.Render(call.Agent, call.Event, hooks.Block{}, h.stopText(ctx, w, call))
	}
	a := answer{space: hooks.MaxHint}
	if _, starts := call.Start(); starts {
		a.space = hooks.MaxStart
	}
	for _, q := range h.questions(ctx, call) {
		switch {
		case a.space < leastSpace:
			h.answered.again(q)
		case q.Kind == prefetch.Start && len(a.texts) > 0: // one of several starts is enough
		case q.Kind == prefetch.Prompt && a.block.String() != "": // the offer names what the prompt needs
		default:
			a.add(h.ask(ctx, w, q, a.space))
		}
	}
	return hooks.Render(call.Agent, call.Event, a.block, strings.Join(a.texts, "\n"))
}

// answer collects the texts for a call.
type answer struct {
	block hooks.Block
	texts []string
	space int // bytes that are left
}

func (a *answer) add(s words) {
	switch {
	case s.text == "":
	case s.block.String() != "":
		a.block = s.block
		a.space -= len(s.text)
	default:
		a.texts = append(a.texts, s.text)
		a.space -= len(s.text) + 1
	}
}
