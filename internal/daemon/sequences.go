package daemon

import (
	"context"
	"slices"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/internal/reload"
	"github.com/aoa-dev/aoa/internal/schedule"
)

// newSequences opens nothing.
func newSequences(b base, clock *schedule.Clock, blobs *cold.Blobs, db *cold.DB) *reload.Cache {
	return reload.New(reload.Options{Blobs: blobs, DB: db, Now: b.now, Log: b.alert, Redact: redact.Text,
		Config: func() reload.Config {
			c := b.settings.Get()
			return reload.Config{Off: !c.Reload, MaxIdle: clock.UnlessDoubted(reload.MaxIdle), MinSimilarity: c.MinSimilarity}
		}})
}

// record passes what a hook reports of a session's turn to the cache.
func (h *reloadHandler) record(ctx context.Context, w *checkout.Checkout, call hooks.Call) {
	if call.Session == "" {
		return
	}
	at := w.Sequences()
	agent, _ := agents.Find(call.Agent)
	asked, began := reload.Began(call.Events)
	switch {
	case began && call.Subagent == "":
		h.cache.BeginTurn(ctx, at, call.Session, call.Agent, asked, !agent.EndsTurns())
	case call.Ended != "" && call.Subagent == "":
		h.cache.EndTurn(at, call.Session, call.Ended == "turn" || !agent.EndsTurns())
	case call.Next != "" && call.Subagent == "":
		h.cache.NoteBefore(at, call.Session, call.Next)
	}
	h.cache.AddCalls(at, call.Session, slices.Concat(call.Events, call.Other))
}
