package daemon

import (
	"context"
	"strconv"

	"github.com/aoa-dev/aoa/internal/aoa"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
)

// threshold is what the user set.
func (h *house) threshold() float64 { return h.config().Threshold }

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
	e := aoa.Event{ID: "feedback:" + api.CallID(ctx), Time: now, Kind: aoa.KindFeedback,
		Agent: "cli", Session: r.Session, OK: r.Helpful}
	if r.File != "" {
		p, err := aoa.NewPath(string(r.File))
		if err != nil {
			return api.ThresholdAnswer{}, api.Bad("use a path as aoa suggest prints it", "%v", err)
		}
		e.Paths = []aoa.Path{p}
	}
	if _, err := h.journal.Log(ctx, []aoa.Event{e}); err != nil {
		return api.ThresholdAnswer{}, err
	}
	h.settleEvents(ctx)
	return h.thresholds(ctx, r.Session)
}
