package daemon

import (
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// proofHandler counts from the log what hints came to.
type proofHandler struct {
	base
	events      *eventLog
	db          *cold.DB
	predictions *prefetch.Prefetcher
}

// provingKinds are the kinds of events that show what became of a hint.
var provingKinds = []event.Kind{event.KindPrompt, event.KindRead, event.KindEdit, event.KindWrite, event.KindSearch,
	event.KindRun,
	event.KindFailed, event.KindStart, event.KindEnd, event.KindCommit, event.KindSuggest}

func (h *proofHandler) stats(ctx context.Context, _ api.StatsRequest) (out api.StatsAnswer, err error) {
	p, err := h.proof(ctx)
	out.Proof = &p
	return out, err
}

func (h *proofHandler) proof(ctx context.Context) (api.ProofAnswer, error) {
	h.events.SyncBriefly(ctx)
	out := api.ProofAnswer{Holdout: h.settings.get().Holdout, Kinds: []api.ProofKind{}, Losses: []api.ProofLoss{}}
	s, err := h.predictions.Searching(ctx)
	if err != nil {
		return out, err
	}
	out.Searching = api.Searching{Turns: s.Turns, PerTurn: s.PerTurn(), Searches: s.Searches, PerSearch: s.PerSearch()}
	first, err := h.db.Log(ctx, cold.LogFilter{Kinds: []event.Kind{event.KindSuggest}, Oldest: true, Limit: 1})
	if err != nil || len(first) == 0 {
		return out, err
	}
	events, err := h.db.Log(ctx, cold.LogFilter{Kinds: provingKinds, Since: first[0].Time, Limit: maxCosted})
	if err != nil {
		return out, err
	}
	slices.Reverse(events) // the log selects the newest
	p := prefetch.Prove(events, s, h.now())
	out.From, out.To, out.Sessions, out.Decided, out.Wrong = p.From, p.To, p.Sessions, p.Decided, p.Wrong
	out.Spent, out.Spared = p.Spent, interval(p.Spared)
	for _, k := range p.Kinds {
		row := api.ProofKind{Kind: string(k.Kind), Texts: k.Texts, Shown: api.ProofArm(k.Shown),
			Withheld: api.ProofArm(k.Withheld),
			Right:    interval(k.Right), Searched: k.Searched, SearchedWithheld: k.SearchedWithheld,
			Spent: k.Spent, Spared: interval(k.Spared), Finding: string(k.Finding)}
		if k.Lacking != nil {
			row.Lacking = &api.Lacking{Shown: k.Lacking.Shown, Withheld: k.Lacking.Withheld, When: k.Lacking.When}
		}
		out.Kinds = append(out.Kinds, row)
	}
	for _, l := range p.Losses {
		out.Losses = append(out.Losses, api.ProofLoss{At: l.At, Session: l.Session, Kind: string(l.Kind), Named: l.Named,
			Opened: append([]event.Path{}, l.Opened...), Tokens: l.Tokens})
	}
	return out, nil
}

// interval is an estimate as the API returns it, nil if it is not known.
func interval(l prefetch.Lift) *api.Interval {
	if !l.Known {
		return nil
	}
	return &api.Interval{Value: l.Value, Low: l.Low, High: l.High}
}
