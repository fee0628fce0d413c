package daemon

import (
	"context"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// mostReading is how long a hook without a waiting agent waits until the files have been read, so
// that their words are known. A kill loses what waits, so it is not longer than the log takes to
// write a batch. Words that are not known by then are hidden.
const mostReading = 100 * time.Millisecond

// hook handles a call of a hook client: its events are logged, and its question gets the rendered
// answer. A payload that breaks the decoder costs only its own answer, not the daemon.
func (d *Daemon) hook(ctx context.Context, f api.Hook) (reply []byte) {
	begin := d.now()
	if d.settings.Paused() {
		return nil
	}
	if f.Agent == "git" {
		d.worktrees.HeadMoved.Give() // which hook it was does not matter: HEAD shows what happened
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			api.LogPanic(ctx, "/hook", p)
			d.metrics.Undecoded()
			reply = nil
		}
	}()
	w := d.worktrees.At(ctx, f.Dir)
	call, err := hooks.Decode(f.Agent, f.Env, f.Payload, d.worktrees.HookRepo(w))
	if err != nil {
		d.log.Debug("the payload of a hook cannot be decoded", "agent", f.Agent, "bytes", len(f.Payload), "err", err)
		d.metrics.Undecoded()
		return nil
	}
	w.Identify(call, begin)
	patience := mostReading
	if f.Wait {
		patience = d.hints.Patience(call) / 4
	}
	d.worktrees.HideWords(ctx, w, call.Events, patience)
	d.worktrees.Saw(call.Session, w.Repo.Root)
	d.sequences.Keep(call.Events)
	d.events.Add(call.Events...)
	if slices.ContainsFunc(call.Events, func(e event.Event) bool { // files of the worktree may have changed
		return e.Kind() != event.KindRead && e.Kind() != event.KindSearch && e.Kind() != event.KindStop
	}) {
		w.Nudge()
	}
	if f.Wait && call.TakesText() && !d.events.Status().Forgetting {
		ctx, cancel := context.WithTimeout(ctx, d.hints.Patience(call)-d.now().Sub(begin))
		defer cancel()
		reply = d.hints.Answer(ctx, w, call)
	}
	return reply
}
