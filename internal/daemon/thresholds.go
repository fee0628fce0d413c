package daemon

import (
	"context"
	"slices"
	"strconv"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// threshold is what the user set.
func (t *thresholdHandler) threshold() float64 { return t.settings.get().Threshold }

// oldestThreshold is the first threshold that the log knows, the setting if it knows none.
func (t *thresholdHandler) oldestThreshold(ctx context.Context) (float64, error) {
	found, err := t.db.Log(ctx, cold.LogFilter{Kinds: []event.Kind{event.KindSetting}, Oldest: true, Limit: 1})
	if err != nil || len(found) == 0 || len(found[0].Scores) != 1 {
		return t.threshold(), err
	}
	return found[0].Scores[0], nil
}

// logThreshold logs the setting if the log has another one or none.
func (t *thresholdHandler) logThreshold(ctx context.Context) error {
	newest, err := t.db.Log(ctx, cold.LogFilter{Kinds: []event.Kind{event.KindSetting}, Limit: 1})
	if err != nil {
		return err
	}
	if len(newest) == 1 && slices.Equal(newest[0].Scores, []float64{t.threshold()}) {
		return nil
	}
	t.events.Add(prefetch.SetThreshold(t.threshold(), t.now()))
	return nil
}

func (t *thresholdHandler) thresholds(ctx context.Context, session string) (api.ThresholdAnswer, error) {
	value, kinds, err := t.predictions.Threshold(ctx, session, t.now())
	return api.ThresholdAnswer{Value: value, Configured: t.threshold(), Kinds: kinds}, err
}

// setThreshold writes the setting, so that it outlives the daemon.
func (t *thresholdHandler) setThreshold(ctx context.Context, r api.ThresholdRequest) (api.ThresholdAnswer, error) {
	if !(r.Value >= 0.40 && r.Value <= 0.90) {
		return api.ThresholdAnswer{}, api.Bad("use a probability from 0.40 to 0.90", "threshold %v is out of range", r.Value)
	}
	if err := config.Set(config.StoreFile(t.store), "threshold", strconv.FormatFloat(r.Value, 'f', -1, 64)); err != nil {
		return api.ThresholdAnswer{}, err
	}
	if _, err := t.reload(ctx, api.None{}); err != nil {
		return api.ThresholdAnswer{}, err
	}
	return t.thresholds(ctx, "")
}

// feedback is an event like any other: what it changes is a fold of the log.
func (t *thresholdHandler) feedback(ctx context.Context, r api.FeedbackRequest) (api.ThresholdAnswer, error) {
	now := t.now()
	e := event.Event{ID: "feedback:" + api.CallID(ctx), Time: now, Kind: event.KindFeedback,
		Agent: "cli", Session: r.Session, OK: r.Helpful}
	if r.File != "" {
		p, err := event.NewPath(string(r.File))
		if err != nil {
			return api.ThresholdAnswer{}, api.Bad("use a path as aoa suggest prints it", "%v", err)
		}
		e.Paths = []event.Path{p}
	}
	if _, err := t.events.Append(ctx, []event.Event{e}); err != nil {
		return api.ThresholdAnswer{}, err
	}
	t.events.settle(ctx)
	return t.thresholds(ctx, r.Session)
}
