package daemon

import (
	"context"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
)

// partners names what usually changes together with a change and is not in it, with the counts that say so.
func (h *house) partners(ctx context.Context, r api.PartnersRequest) (api.PartnersAnswer, error) {
	out := api.PartnersAnswer{Files: []event.Path{}, Partners: []api.Partner{}}
	if r.Limit == 0 {
		r.Limit = 5
	}
	if r.Least == 0 {
		r.Least = prefetch.Floor
	}
	switch {
	case r.Limit < 0 || r.Limit > 100:
		return out, api.Bad("use 1 to 100", "limit %d is out of range", r.Limit)
	case !(r.Least > 0 && r.Least <= 1):
		return out, api.Bad("use a probability, 0.40 for example", "min_score %v is out of range", r.Least)
	}
	w := h.at(ctx, api.CallerDir(ctx))
	if len(r.Files) > 0 {
		out.Files = w.paths(r.Files)
	} else {
		changed, err := w.repo.Changed(ctx)
		if err != nil {
			return out, err
		}
		out.Files = append(out.Files, changed...)
	}
	if len(out.Files) == 0 {
		return out, nil
	}
	h.settleEvents(ctx)
	ranking, err := w.ranker.Score(ctx, event.Query{Task: event.TaskChange, Files: out.Files, At: h.o.Now()})
	if err != nil {
		return out, err
	}
	defer ranking.Done()
	lacks, err := prefetch.Shipped().Warning.Missing(ranking.Files, out.Files, r.Least, r.Limit, func(with, f event.Path) (both, of int, err error) {
		return h.db.Together(ctx, with, f)
	})
	for _, l := range lacks {
		out.Partners = append(out.Partners, api.Partner{File: l.File, With: l.With, Both: l.Both, Of: l.Of, Score: l.Score})
	}
	return out, err
}

// paths keeps what is a path of a repository, each once, in order.
func (w *worktree) paths(in []event.Path) []event.Path {
	seen := make(map[event.Path]bool, len(in))
	out := []event.Path{}
	for _, p := range in {
		if q, err := event.NewPath(string(p)); err == nil && !seen[q] {
			seen[q] = true
			out = append(out, q)
		}
	}
	return out
}

// complete finds files by what somebody typed of their names.
func (h *house) complete(ctx context.Context, r api.CompleteRequest) (api.CompleteAnswer, error) {
	out := api.CompleteAnswer{Files: []event.Path{}}
	if r.Limit == 0 {
		r.Limit = 15
	}
	if r.Limit < 0 || r.Limit > 1000 {
		return out, api.Bad("use 1 to 1000", "limit %d is out of range", r.Limit)
	}
	q := event.Query{Task: event.TaskNext, Session: r.Session, At: h.o.Now()}
	find := rank.Like(r.Query)
	if r.Prefix {
		find = rank.Begin(r.Query)
	}
	files, err := h.at(ctx, api.CallerDir(ctx)).ranker.Complete(ctx, q, find, r.Limit)
	out.Files = append(out.Files, files...)
	return out, err
}
