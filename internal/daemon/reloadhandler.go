package daemon

import (
	"context"
	"errors"
	"net/http"

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
	out := api.SequencesAnswer{Sequences: []reload.Match{}}
	if r.ID != "" {
		e, err := h.cache.Get(ctx, r.ID)
		out.Sequences = append(out.Sequences, reload.Match{Entry: e})
		return out, noSequence(r.ID, err)
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
		out.Sequences = append(out.Sequences, found[:min(len(found), limit)]...)
		return out, err
	}
	all, err := h.cache.List(ctx)
	out.Sequences = convert(all[:min(len(all), limit)], func(e reload.Entry) reload.Match { return reload.Match{Entry: e} })
	return out, err
}

func (h *reloadHandler) run(ctx context.Context, r api.ReplayRequest) (api.ReplayAnswer, error) {
	begin := h.now()
	if r.Undo {
		id, files, err := h.cache.Undo(ctx, h.worktrees.Caller(ctx).Sequences(), r.ID)
		return api.ReplayAnswer{Report: reload.Report{ID: id}, Files: files}, noSequence(r.ID, err)
	}
	out := api.ReplayAnswer{}
	var err error
	out.Report, err = h.cache.Replay(ctx, h.worktrees.Caller(ctx).Sequences(),
		reload.Request{ID: r.ID, Skip: r.Skip, Edits: r.Edits, Plan: r.Plan, Session: r.Session})
	if err != nil {
		return api.ReplayAnswer{}, noSequence(r.ID, err)
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
func noSequence(id string, err error) error {
	switch {
	case errors.Is(err, reload.ErrNone):
		return api.Missing("aoa reload list", "%v", err)
	case errors.Is(err, reload.ErrNoUndo):
		return api.Missing("git diff shows what changed", "%v", err)
	case errors.Is(err, reload.ErrIndex):
		return api.Bad("aoa reload show "+id, "%v", err)
	case errors.Is(err, reload.ErrPlan):
		return api.Bad("aoa reload run "+id+" --edits shows it again", "%v", err)
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
		return api.SequenceForgetAnswer{}, noSequence(r.ID, err)
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
