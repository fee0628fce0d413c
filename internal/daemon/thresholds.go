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
func (h *house) threshold() float64 { return h.config().Threshold }

// oldestThreshold is the first threshold that the log knows, the setting if it knows none.
func (h *house) oldestThreshold(ctx context.Context) (float64, error) {
	found, err := h.db.Log(ctx, cold.LogFilter{Kinds: []event.Kind{event.KindSetting}, Oldest: true, Limit: 1})
	if err != nil || len(found) == 0 || len(found[0].Scores) != 1 {
		return h.threshold(), err
	}
	return found[0].Scores[0], nil
}

// logThreshold logs the setting if the log has another one or none.
func (h *house) logThreshold(ctx context.Context) error {
	newest, err := h.db.Log(ctx, cold.LogFilter{Kinds: []event.Kind{event.KindSetting}, Limit: 1})
	if err != nil {
		return err
	}
	if len(newest) == 1 && slices.Equal(newest[0].Scores, []float64{h.threshold()}) {
		return nil
	}
	h.journal.Add(prefetch.SetThreshold(h.threshold(), h.o.Now()))
	return nil
}

func (h *house) thresholds(ctx context.Context, session string) (api.ThresholdAnswer, error) {
	value, kinds, err := h.settle.Threshold(ctx, session, h.o.Now())
	return api.ThresholdAnswer{Value: value, Configured: h.threshold(), Kinds: kinds}, err
}

// setThreshold writes the setting, so that it outlives the daemon.
func (h *house) setThreshold(ctx context.Context, r api.ThresholdRequest) (api.ThresholdAnswer, error) {
	if !(r.Value >= 0.40 && r.Value <= 0.90) {
		return api.ThresholdAnswer{}, api.Bad("use a probability from 0.40 to 0.90", "threshold %v is out of range", r.Value)
	}
	if err := config.Set(config.StoreFile(h.o.Place.Store), "threshold", strconv.FormatFloat(r.Value, 'f', -1, 64)); err != nil {
		return api.ThresholdAnswer{}, err
	}
	if _, err := h.reload(ctx, api.None{}); err != nil {
		return api.ThresholdAnswer{}, err
	}
	return h.thresholds(ctx, "")
}

// feedback is an event like any other: what it changes is a fold of the log.
func (h *house) feedback(ctx context.Context, r api.FeedbackRequest) (api.ThresholdAnswer, error) {
	now := h.o.Now()
	e := event.Event{ID: "feedback:" + api.CallID(ctx), Time: now, Kind: event.KindFeedback,
		Agent: "cli", Session: r.Session, OK: r.Helpful}
	if r.File != "" {
		p, err := event.NewPath(string(r.File))
		if err != nil {
			return api.ThresholdAnswer{}, api.Bad("use a path as aoa suggest prints it", "%v", err)
		}
		e.Paths = []event.Path{p}
	}
	if _, err := h.journal.Log(ctx, []event.Event{e}); err != nil {
		return api.ThresholdAnswer{}, err
	}
	h.settleEvents(ctx)
	return h.thresholds(ctx, r.Session)
}
