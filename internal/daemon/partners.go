package daemon

import (
	"context"

	"github.com/aoa-dev/aoa/internal/aoa"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
)

// Bounds of one question for partners.
const (
	partnerFiles  = 16 // files of the change whose commits are counted, the last ones: as many as the ranking reads
	partnerTries  = 4  // candidates looked at for each one wanted
	partnerShared = 2  // commits that two files must share: one may be chance
)

// partners names what usually changes together with a change and is not in it, with the counts that say so.
func (h *house) partners(ctx context.Context, r api.PartnersRequest) (api.PartnersAnswer, error) {
	out := api.PartnersAnswer{Files: []aoa.Path{}, Partners: []api.Partner{}}
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
	ranking, err := w.ranker.Score(ctx, aoa.Query{Moment: aoa.MomentChange, Files: out.Files, At: h.o.Now()})
	if err != nil {
		return out, err
	}
	for i, f := range ranking.Files {
		if f.Score < r.Least || i >= partnerTries*r.Limit || len(out.Partners) == r.Limit {
			break
		}
		p, err := h.partner(ctx, f.File, out.Files)
		if err != nil {
			return out, err
		}
		if p.Score = f.Score; p.Both >= partnerShared {
			out.Partners = append(out.Partners, p)
		}
	}
	return out, nil
}

// partner finds the file of the change that f changed with most regularly.
func (h *house) partner(ctx context.Context, f aoa.Path, change []aoa.Path) (api.Partner, error) {
	best := api.Partner{File: f}
	share := 0.0
	for _, with := range change[max(0, len(change)-partnerFiles):] {
		both, of, err := h.db.Together(ctx, with, f)
		if err != nil {
			return best, err
		}
		// One more than counted: 1 of 1 says less than 9 of 10.
		if s := float64(both) / float64(of+1); s > share {
			best.With, best.Both, best.Of, share = with, both, of, s
		}
	}
	return best, nil
}

// paths keeps what is a path of a repository, each once, in order.
func (w *worktree) paths(in []aoa.Path) []aoa.Path {
	seen := make(map[aoa.Path]bool, len(in))
	out := []aoa.Path{}
	for _, p := range in {
		if q, err := aoa.NewPath(string(p)); err == nil && !seen[q] {
			seen[q] = true
			out = append(out, q)
		}
	}
	return out
}

// complete finds files by what somebody typed of their names.
func (h *house) complete(ctx context.Context, r api.CompleteRequest) (api.CompleteAnswer, error) {
	out := api.CompleteAnswer{Files: []aoa.Path{}}
	if r.Limit == 0 {
		r.Limit = 15
	}
	if r.Limit < 0 || r.Limit > 1000 {
		return out, api.Bad("use 1 to 1000", "limit %d is out of range", r.Limit)
	}
	q := aoa.Query{Moment: aoa.MomentOpen, Session: r.Session, At: h.o.Now()}
	find := rank.Like(r.Query)
	if r.Prefix {
		find = rank.Begin(r.Query)
	}
	files, err := h.at(ctx, api.CallerDir(ctx)).ranker.Complete(ctx, q, find, r.Limit)
	out.Files = append(out.Files, files...)
	return out, err
}
