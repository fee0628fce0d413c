package daemon

import (
	"context"
	"runtime/debug"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/eventlog"
	"github.com/aoa-dev/aoa/internal/hint"
	"github.com/aoa-dev/aoa/internal/monitor"
	"github.com/aoa-dev/aoa/internal/reload"
	"github.com/aoa-dev/aoa/internal/schedule"
)

// hookHandler takes what agents' hooks report: it decodes a payload, logs its events and answers with a hint.
type hookHandler struct {
	base
	calls     *schedule.Calls
	events    *eventlog.Log
	worktrees *checkout.Set
	sequences *reload.Cache
	hints     *hint.Hints
	metrics   *monitor.Metrics
}

// mostReading is how long a hook that nobody waits for waits until the files are read, whose words are known.
const mostReading = 2 * time.Second

// hook takes what a hook client sent: events go to the log, a question gets the rendered answer. A payload
// that breaks its decoder costs its own answer, not the daemon.
func (h *hookHandler) hook(ctx context.Context, f api.Hook) (reply []byte) {
	begin := h.now()
	if h.settings.Paused() {
		return nil
	}
	if f.Agent == "git" {
		h.worktrees.NoteHead() // which hook it was does not matter: HEAD shows what happened
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			h.log.Error("hook broke its decoder", "agent", f.Agent, "bytes", len(f.Payload), "panic", r, "stack",
				string(debug.Stack()))
			h.metrics.Undecoded()
			reply = nil
		}
	}()
	w := h.worktrees.At(ctx, f.Dir)
	call, err := hooks.Decode(f.Agent, f.Env, f.Payload, h.worktrees.HookRepo(w))
	if err != nil {
		h.log.Debug("hook not understood", "agent", f.Agent, "bytes", len(f.Payload), "err", err)
		h.metrics.Undecoded()
		return nil
	}
	w.Identify(call, begin)
	patience := mostReading
	if f.Wait {
		patience = h.hints.Patience(call) / 4
	}
	h.worktrees.HideWords(ctx, w, call.Events, patience)
	h.worktrees.Saw(call.Session, w)
	h.sequences.Keep(call.Events)
	h.events.Add(call.Events...)
	if slices.ContainsFunc(call.Events, mayChange) {
		w.Watch.Nudge()
	}
	if f.Wait && call.TakesText() {
		ctx, cancel := context.WithTimeout(ctx, h.hints.Patience(call)-h.now().Sub(begin))
		defer cancel()
		reply = h.hints.Answer(ctx, w, call)
	}
	h.metrics.Hook(call.Event, h.now().Sub(begin), len(reply) > 0)
	return reply
}

// mayChange reports whether files of the worktree may have changed with an event: all but reads, searches and ends of
// turns.
func mayChange(e event.Event) bool {
	return e.Kind() != event.KindRead && e.Kind() != event.KindSearch && e.Kind() != event.KindStop
}
