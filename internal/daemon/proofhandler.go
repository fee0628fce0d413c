package daemon

import (
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/eventlog"
	"github.com/aoa-dev/aoa/prefetch"
)

// proofHandler counts from the log what hints came to.
type proofHandler struct {
	base
	events      *eventlog.Log
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
	out := api.ProofAnswer{Holdout: h.settings.Get().Holdout,
		Proof: prefetch.Proof{Kinds: []prefetch.KindProof{}, Losses: []prefetch.Loss{}}}
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
	out.Proof = prefetch.Prove(events, s, h.now())
	return out, nil
}
