package daemon

import (
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// kindStats is the record of each kind that was asked or has predicted anything.
func (t *thresholdHandler) kindStats(ctx context.Context) (out api.StatsAnswer, err error) {
	records, err := t.predictions.Records(ctx)
	if err != nil {
		return out, err
	}
	of := map[prefetch.Kind]prefetch.Record{}
	for _, r := range records {
		of[r.Kind] = r
	}
	for _, k := range prefetch.Kinds() {
		r, known := of[k]
		hooks, p50, p99 := t.times.of(k)
		if !known && hooks == 0 {
			continue
		}
		s := api.KindStat{Kind: string(k), Shown: r.Shown.Predicted, Settled: r.Shown.Settled, Used: r.Shown.Used,
			Withheld: r.Withheld.Predicted, HeldUsed: r.Withheld.Used, Shadow: r.Shadow.Predicted, ShadowHit: r.Shadow.Used,
			HeldDone: r.Withheld.Settled, Tokens: r.Tokens, Retired: r.Retired,
			Hooks: hooks, HookP50: float64(p50.Microseconds()) / 1000, HookP99: float64(p99.Microseconds()) / 1000}
		if l := r.Lift(); l.Known {
			s.Lift, s.LiftLow, s.LiftHigh = l.Value, l.Low, l.High
		}
		if s.Settled > 0 {
			s.Precision = float64(s.Used) / float64(s.Settled)
		}
		out.Kinds = append(out.Kinds, s)
	}
	out.Retired = retired(records)
	out.Refit, err = t.lastRefit(ctx)
	return out, err
}

// retired lists the kinds that keep silent by themselves, with the reason.
func retired(records []prefetch.Record) (out []api.RetiredKind) {
	for _, r := range records {
		if r.Retired {
			out = append(out, api.RetiredKind{Kind: string(r.Kind), Why: r.Why(), Back: "aoa config kinds." + string(r.Kind) + " on"})
		}
	}
	return out
}

// revive gives a retired kind another chance, with no evidence against it. It is an event like any other, so that a
// replay gives the same; a kind that has not retired is left as it is.
func (t *thresholdHandler) revive(ctx context.Context, r api.ReviveRequest) (api.ReviveAnswer, error) {
	out := api.ReviveAnswer{Kind: r.Kind}
	if !slices.Contains(prefetch.Kinds(), prefetch.Kind(r.Kind)) {
		return out, api.Bad("aoa config lists the kinds", "no kind %q", r.Kind)
	}
	t.events.settle(ctx)
	records, err := t.predictions.Records(ctx)
	if err != nil {
		return out, err
	}
	out.Revived = slices.ContainsFunc(records, func(rec prefetch.Record) bool { return string(rec.Kind) == r.Kind && rec.Retired })
	if !out.Revived {
		return out, nil
	}
	now := t.now()
	e := event.Event{ID: "revive:" + api.CallID(ctx), Time: now, Kind: event.KindFeedback, Agent: "cli",
		Tool: r.Kind, Why: prefetch.Revive, OK: true}
	_, err = t.events.Append(ctx, []event.Event{e})
	t.events.settle(ctx)
	return out, err
}
