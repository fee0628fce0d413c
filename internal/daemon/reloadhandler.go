package daemon

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/eventlog"
	"github.com/aoa-dev/aoa/internal/reload"
)

// reloadHandler serves the recorded sequences.
type reloadHandler struct {
	base
	worktrees *checkout.Set
	events    *eventlog.Log
	cache     *reload.Cache
}

func (h *reloadHandler) routes(mux *http.ServeMux) {
	api.Handle(mux, api.ReloadList, h.list)
	api.Handle(mux, api.ReloadRun, h.run)
	api.Handle(mux, api.ReloadForget, h.forget)
}

func (h *reloadHandler) list(ctx context.Context, r api.SequencesRequest) (api.SequencesAnswer, error) {
	out := api.SequencesAnswer{Sequences: []api.Sequence{}}
	if r.ID != "" {
		s, err := h.whole(ctx, r.ID)
		out.Sequences = []api.Sequence{s}
		return out, err
	}
	limit := r.Limit
	if limit <= 0 {
		limit = 20
	}
	asked, fits := reload.AskFor(r.Prompt), r.Prompt != ""
	if !fits && !r.All && r.Session != "" {
		asked, fits = h.cache.Asked(ctx, r.Session)
	}
	if fits {
		found, err := h.cache.Find(ctx, h.worktrees.Caller(ctx).Sequences(), asked)
		for _, m := range found[:min(len(found), limit)] {
			s := sequence(*m.Entry)
			s.Similarity, s.Reason = m.Similarity, m.Reason
			out.Sequences = append(out.Sequences, s)
		}
		return out, err
	}
	all, err := h.cache.List(ctx)
	out.Sequences = convert(all[:min(len(all), limit)], sequence)
	return out, err
}

// promptShown bounds the bytes of a prompt in a list.
const promptShown = 200

func sequence(e reload.Entry) api.Sequence {
	text := e.Text
	if len(text) > promptShown {
		text = strings.ToValidUTF8(text[:promptShown], "") + "…"
	}
	return api.Sequence{ID: e.ID, Summary: e.Summary, Prompt: text, Type: e.Type, Target: e.Target,
		Tools:   e.Tools(),
		Actions: len(e.Actions) + e.More, Files: len(e.Files), Looks: e.ReadOnly(), Outcome: e.Outcome,
		Message: e.Message, Agent: e.Agent,
		Session: e.Session, Created: e.Created, Used: e.Used, Uses: e.Uses, Successes: e.Successes, Failures: e.Failures}
}

// whole is a sequence with its steps and files.
func (h *reloadHandler) whole(ctx context.Context, id string) (api.Sequence, error) {
	e, err := h.cache.Get(ctx, id)
	if err != nil {
		return api.Sequence{}, noSequence(err)
	}
	out := sequence(e)
	out.Prompt, out.Steps, out.More = e.Text, e.Steps(), e.More
	out.Paths = e.Files
	return out, nil
}

func (h *reloadHandler) run(ctx context.Context, r api.ReplayRequest) (api.ReplayAnswer, error) {
	begin := h.now()
	if r.Undo {
		id, files, err := h.cache.Undo(ctx, h.worktrees.Caller(ctx).Sequences(), r.ID)
		return api.ReplayAnswer{Report: reload.Report{ID: id}, Files: files}, noSequence(err)
	}
	out := api.ReplayAnswer{}
	var err error
	out.Report, err = h.cache.Replay(ctx, h.worktrees.Caller(ctx).Sequences(),
		reload.Request{ID: r.ID, Skip: r.Skip, Edits: r.Edits, Plan: r.Plan, Session: r.Session})
	if err != nil {
		return api.ReplayAnswer{}, noSequence(err)
	}
	h.opened(ctx, r, out.Report)
	out.Ms = float64(h.now().Sub(begin).Microseconds()) / 1000
	return out, nil
}

// opened logs what a session has read by a replay: it will not open these files again.
func (h *reloadHandler) opened(ctx context.Context, r api.ReplayRequest, got reload.Report) {
	entry, err := h.cache.Get(ctx, got.ID)
	if err != nil || r.Session == "" || got.Diverged != "" {
		return
	}
	c := event.Call{Act: event.ActRead, Tool: "reload_cached"}
	for _, f := range entry.Files {
		if !f.Wrote {
			c.Paths = append(c.Paths, f.Path)
		}
	}
	if len(c.Paths) > 0 {
		h.events.Add(event.Event{ID: "replay:" + api.CallID(ctx), Time: h.now(), Agent: entry.Agent, Session: r.Session,
			Body: c})
	}
}

// noSequence is an error of the cache as the API returns it, with a hint.
func noSequence(err error) error {
	switch {
	case errors.Is(err, reload.ErrNone):
		return api.Missing("aoa reload list", "%v", err)
	case errors.Is(err, reload.ErrIndex):
		return api.Bad("aoa reload show ID", "%v", err)
	case errors.Is(err, reload.ErrPlan):
		return api.Bad("aoa reload run ID --edits shows it again", "%v", err)
	case errors.Is(err, reload.ErrChanged):
		return api.Bad("git diff shows what changed", "%v", err)
	}
	return err
}

func (h *reloadHandler) forget(ctx context.Context, r api.SequenceForgetRequest) (api.SequenceForgetAnswer, error) {
	switch {
	case r.All == (r.ID != ""):
		return api.SequenceForgetAnswer{}, api.Bad("aoa reload forget ID, or --all", "name one sequence, or all")
	case r.All:
		n, err := h.cache.ForgetAll(ctx)
		return api.SequenceForgetAnswer{Sequences: n}, err
	}
	if err := h.cache.ForgetID(ctx, r.ID); err != nil {
		return api.SequenceForgetAnswer{}, noSequence(err)
	}
	return api.SequenceForgetAnswer{Sequences: 1}, nil
}

func (h *reloadHandler) stats(ctx context.Context, _ api.StatsRequest) (out api.StatsAnswer, err error) {
	s, err := h.cache.Stats(ctx)
	out.Reload = &s
	return out, err
}

func (h *reloadHandler) sweep(ctx context.Context) {
	h.cache.Evict(ctx, h.worktrees.At(ctx, "").Sequences())
}
