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

// Options are the options of New. All are required.
type Options struct {
	Settings  *config.Settings
	Now       func() time.Time
	Log       *slog.Logger
	Factor    int64 // factor by which hooks wait longer than usual
	Events    Log
	DB        *cold.DB
	Sessions  *session.Sessions
	Contexts  *contexts.Assembler
	Sequences *reload.Cache
	Count     Counter
}

// Log receives what was said. SyncBriefly makes sure that a question sees the events that came just
// before it.
type Log interface {
	Add(events ...event.Event)
	SyncBriefly(ctx context.Context)
}

// Counter counts decisions by kind.
type Counter interface{ Decision(kind, why string) }

// Hints answers the hooks of all checkouts. It is safe for concurrent use.
type Hints struct {
	o        Options
	answered answered
}

// New returns Hints without any state yet.
func New(o Options) *Hints { return &Hints{o: o} }

// Patience returns the time from the request to the answer: nine tenths of the time that the hook
// client waits. A later answer is not read.
func (h *Hints) Patience(call hooks.Call) time.Duration {
	wait, _ := agents.EventOf(call.Agent, call.Event).Deadline()
	return wait * 9 / 10 * time.Duration(h.o.Factor)
}

// leastSpace is the number of bytes that a whole fact takes. If less is left, a question waits for
// the next call.
const leastSpace = 200

// Answer returns what the agent gets at a call, or nil.
func (h *Hints) Answer(ctx context.Context, w *checkout.Checkout, call hooks.Call) []byte {
	h.o.Events.SyncBriefly(ctx)
	if stops(call) { // the person reads it, not a model
		return hooks.Render(call.Agent, call.Event, "", h.stopText(ctx, w, call))
	}
	var block string
	var texts []string
	space := hooks.MaxHint // number of bytes that are left
	if _, starts := call.Start(); starts {
		space = hooks.MaxStart
	}
	for _, q := range h.questions(ctx, call) {
		var s words
		switch {
		case space < leastSpace:
			h.answered.again(q)
		case q.Kind == prefetch.Start && len(texts) > 0: // the answer to one of several starts is enough
		case q.Kind == prefetch.Prompt && block != "": // the offer names what the prompt needs
		default:
			s = h.ask(ctx, w, q, space)
		}
		switch {
		case s.text == "":
		case s.block:
			block, space = s.text, space-len(s.text)
		default:
			texts, space = append(texts, s.text), space-len(s.text)-1
		}
	}
	return hooks.Render(call.Agent, call.Event, block, strings.Join(texts, "\n"))
}
