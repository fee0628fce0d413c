package daemon

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// settleTime is how long a question waits for the events that came just before it.
const settleTime = 20 * time.Millisecond

// frame takes what a hook client sent: events go to the journal, a question gets the rendered answer. A payload
// that breaks its decoder costs its own answer, not the daemon.
func (h *house) frame(ctx context.Context, f api.Frame) (reply []byte) {
	begin := h.o.Now()
	h.called.Store(begin.UnixMilli())
	if h.paused() {
		return nil
	}
	if f.Agent == "git" {
		signal(h.look) // which hook it was does not matter: HEAD says what happened
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			h.o.Log.Error("hook broke its decoder", "agent", f.Agent, "bytes", len(f.Payload), "panic", r, "stack", string(debug.Stack()))
			h.gauges.undecoded.Inc()
			reply = nil
		}
	}()
	w := h.at(ctx, f.Cwd)
	call, err := hooks.DecodeFrom(f.Agent, f.Env, f.Payload, h.hookRepo(w))
	if err != nil {
		h.o.Log.Debug("hook not understood", "agent", f.Agent, "bytes", len(f.Payload), "err", err)
		h.gauges.undecoded.Inc()
		return nil
	}
	h.whereabouts.saw(call.Session, w.repo.Root)
	h.journal.Add(call.Events...)
	h.record(ctx, w, call)
	w.watch.Nudge()
	switch {
	case f.Wait && !call.Deaf && hooks.Speaks(call.Agent, call.Event):
		ctx, cancel := context.WithTimeout(ctx, h.patience(call)-h.o.Now().Sub(begin))
		defer cancel()
		var asked []prefetch.Kind
		reply, asked = h.say(ctx, w, call)
		h.pace.took(asked, h.o.Now().Sub(begin))
	case f.Wait && h.mayHold(call):
		ctx, cancel := context.WithTimeout(ctx, h.patience(call)-h.o.Now().Sub(begin))
		defer cancel()
		var asked []prefetch.Kind
		reply, asked = h.hold(ctx, w, call)
		h.pace.took(asked, h.o.Now().Sub(begin))
	case call.Deaf || !hooks.Speaks(call.Agent, call.Event):
		h.waiting.add(call, begin)
	}
	h.gauges.hook(call.Event, h.o.Now().Sub(begin), len(reply) > 0)
	return reply
}

// settleEvents lets a question see what happened just before it, but not at the price of its deadline.
func (h *house) settleEvents(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	h.journal.Settle(ctx)
}

// rank answers people and tools: the plain ranking, without the gate that protects an agent's context.
func (h *house) rank(ctx context.Context, q event.Query) (event.Answer, error) {
	begin := h.o.Now()
	h.settleEvents(ctx)
	if q.Limit < 0 || q.Limit > 100 {
		return event.Answer{}, api.Bad("use 1 to 100", "limit %d is out of range", q.Limit)
	}
	q.At = time.UnixMilli(h.answers.stamp(begin.UnixMilli()))
	w := h.at(ctx, api.CallerDir(ctx))
	reading := !w.reader.Ready()
	ans, err := w.ranker.Rank(ctx, q)
	if err != nil {
		return ans, err
	}
	ans.Reading = reading
	ans.Ms = float64(h.o.Now().Sub(begin).Microseconds()) / 1000
	h.gauges.ranked(h.o.Now().Sub(begin))
	q.Prompt = "" // the log has the prompts, sealed
	h.answers.keep(keptAnswer{Query: q, Answer: ans})
	return ans, nil
}

// why prints the arithmetic of one file: of an earlier answer word for word, or anew.
func (h *house) why(ctx context.Context, r api.WhyRequest) (api.WhyAnswer, error) {
	w := h.at(ctx, api.CallerDir(ctx))
	if r.File == "" {
		return api.WhyAnswer{}, api.Bad("aoa why FILE", "no file named")
	}
	if r.At != 0 {
		return h.whyAt(ctx, r)
	}
	h.settleEvents(ctx)
	reading := !w.reader.Ready()
	r.Query.At, r.Query.Explain, r.Query.Limit = h.o.Now(), true, 100
	s, err := w.ranker.Why(ctx, r.Query, r.File)
	if err != nil {
		return api.WhyAnswer{}, err
	}
	out := api.WhyAnswer{Suggestion: s, At: r.Query.At.UnixMilli(), Known: w.tree.Load().Has(r.File), Reading: reading}
	ans, err := w.ranker.Rank(ctx, r.Query)
	if err != nil {
		return out, err
	}
	for i, o := range ans.Suggestions {
		if o.File == r.File {
			out.Rank = i + 1
		}
	}
	return out, nil
}

func (h *house) whyAt(ctx context.Context, r api.WhyRequest) (api.WhyAnswer, error) {
	kept, err := h.answers.at(ctx, r.At)
	if errors.Is(err, cold.ErrNotFound) {
		return api.WhyAnswer{}, api.Missing("aoa suggest --json prints the time of an answer as \"at\"; the newest 1000 are kept", "no answer was given at %d", r.At)
	}
	if err != nil {
		return api.WhyAnswer{}, err
	}
	for i, s := range kept.Answer.Suggestions {
		if s.File == r.File {
			return api.WhyAnswer{Suggestion: s, At: r.At, Rank: i + 1, Known: true}, nil
		}
	}
	return api.WhyAnswer{}, api.Missing("aoa why "+r.File.Display()+" explains it as of now", "%s was not in the answer given at %d", r.File.Display(), r.At)
}
