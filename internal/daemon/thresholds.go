package daemon

import (
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/eventlog"
	"github.com/aoa-dev/aoa/prefetch"
)

// thresholdHandler serves what decides how often hints are shown: the threshold, feedback, kinds that have retired, and
// the fit of probabilities to outcomes.
type thresholdHandler struct {
	base
	events      *eventlog.Log
	predictions *prefetch.Prefetcher
}

// reload reads the configuration again and logs a changed threshold.
func (t *thresholdHandler) reload() error {
	if err := t.settings.Reload(); err != nil {
		return api.Bad("aoa config", "%v", err)
	}
	t.logThreshold()
	return nil
}

// threshold is what the user set.
func (t *thresholdHandler) threshold() float64 { return t.settings.Get().Threshold }

// logThreshold logs the setting if the log has another one or none.
func (t *thresholdHandler) logThreshold() {
	if e, changed := t.predictions.SetThreshold(t.threshold(), t.now()); changed {
		t.events.Add(e)
	}
}

func (t *thresholdHandler) thresholds(session string) api.ThresholdAnswer {
	value, kinds := t.predictions.Threshold(session, t.now())
	return api.ThresholdAnswer{Value: value, Configured: t.threshold(), Kinds: kinds}
}

// feedback is an event like any other: what it changes is a fold of the log.
func (t *thresholdHandler) feedback(ctx context.Context, r api.FeedbackRequest) (api.ThresholdAnswer, error) {
	b := event.Feedback{Helped: r.Helpful}
	if r.File != "" {
		p, err := event.NewPath(string(r.File))
		if err != nil {
			return api.ThresholdAnswer{}, api.Bad("use a path as aoa suggest prints it", "%v", err)
		}
		b.Paths = []event.Path{p}
	}
	e := event.Event{ID: "feedback:" + api.CallID(ctx), Time: t.now(), Agent: "cli", Session: r.Session, Body: b}
	if _, err := t.events.Append(ctx, []event.Event{e}); err != nil {
		return api.ThresholdAnswer{}, err
	}
	t.events.SyncBriefly(ctx)
	return t.thresholds(r.Session), nil
}

// config reads the settings again. It gives retired kinds another chance, with no evidence against them: an event
// like any other, so that a replay gives the same. A kind that has not retired is left as it is.
func (t *thresholdHandler) config(ctx context.Context, r api.ConfigRequest) (out api.ConfigAnswer, err error) {
	if err := t.reload(); err != nil || len(r.Revive) == 0 {
		return out, err
	}
	t.events.SyncBriefly(ctx)
	var events []event.Event
	for _, rec := range t.predictions.Records() {
		kind := string(rec.Kind)
		if !rec.Retired || !slices.Contains(r.Revive, kind) {
			continue
		}
		out.Revived = append(out.Revived, kind)
		events = append(events, prefetch.SetRevived(rec.Kind, api.CallID(ctx), t.now()))
	}
	if len(events) == 0 {
		return out, nil
	}
	_, err = t.events.Append(ctx, events)
	t.events.SyncBriefly(ctx)
	return out, err
}
