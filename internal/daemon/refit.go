package daemon

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// What a refit learns from: people and agents change, and so do repositories.
const (
	refitAge  = 90 * 24 * time.Hour
	refitMost = 5000 // outcomes
)

// refit fits the confidence of hints to what became of them, or takes the last fit back. What it decides is an event: a
// replay of the log gives the same confidence.
func (t *thresholdHandler) refit(ctx context.Context) error {
	now := t.now()
	outcomes, err := t.db.Log(ctx, cold.LogFilter{Kinds: []event.Kind{event.KindOutcome}, Since: now.Add(-refitAge),
		Limit: refitMost})
	if err == nil {
		var others []event.Event
		others, err = t.db.PeerEvents(ctx, event.KindOutcome, now.Add(-refitAge), refitMost)
		outcomes = append(outcomes, others...)
	}
	var r prefetch.Refit
	var events []event.Event
	if err == nil {
		r, events, err = t.predictions.Refit(ctx, outcomes, now)
	}
	if err != nil || len(events) == 0 {
		return err
	}
	t.events.Add(events...)
	t.log.Info("confidence refitted", "verdict", string(r.Verdict), "outcomes", r.Outcomes, "before", r.Before, "after",
		r.After)
	return nil
}

// lastRefit is the newest refit for people, nil if there was none.
func lastRefit(ctx context.Context, p *prefetch.Prefetcher) (*api.Refit, error) {
	r, err := p.LastRefit(ctx)
	if err != nil || r.Verdict == "" {
		return nil, err
	}
	return &api.Refit{At: r.At, Verdict: string(r.Verdict), Outcomes: r.Outcomes, Before: r.Before, After: r.After,
		Text: r.String()}, nil
}
