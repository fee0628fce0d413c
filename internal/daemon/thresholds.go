package daemon

import (
	"context"
	"errors"
	"io/fs"
	"strconv"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
)

// readSettings reads the configuration again and logs a changed threshold.
func (d *Daemon) readSettings() error {
	if err := d.settings.Reload(); err != nil {
		return event.BadRequest("aoa config", "%v", err)
	}
	if d.o.Level != nil {
		d.o.Level.Set(d.settings.Get().LogLevel)
	}
	d.logThreshold()
	return nil
}

// threshold returns the value that the user has set.
func (d *Daemon) threshold() float64 { return d.settings.Get().Threshold }

// setThreshold writes the setting into the user's file for the repository, and reads it.
func (d *Daemon) setThreshold(_ context.Context, r api.ThresholdRequest) (api.ThresholdAnswer, error) {
	err := config.Set(d.o.Place.Settings(), "threshold", strconv.FormatFloat(r.Value, 'f', -1, 64))
	if _, disk := errors.AsType[*fs.PathError](err); disk {
		return api.ThresholdAnswer{}, err
	}
	if err != nil {
		return api.ThresholdAnswer{}, event.BadRequest("value is between 0.40 and 0.90", "%v", err)
	}
	err = d.readSettings()
	return d.thresholds(""), err
}

// logThreshold logs the setting, unless the log already has this value.
func (d *Daemon) logThreshold() {
	if e, changed := d.predictions.SetThreshold(d.threshold(), d.now()); changed {
		d.events.Add(e)
	}
}

func (d *Daemon) thresholds(session string) api.ThresholdAnswer {
	value, kinds := d.predictions.Threshold(session, d.now())
	return api.ThresholdAnswer{Value: value, Configured: d.threshold(), Kinds: kinds}
}

// feedback logs a person's judgement as an event like any other. What it changes is computed from
// the log.
func (d *Daemon) feedback(ctx context.Context, r api.FeedbackRequest) (api.ThresholdAnswer, error) {
	b := event.Feedback{Helped: r.Helpful}
	if r.File != "" {
		p, err := event.NewPath(string(r.File))
		if err != nil {
			return api.ThresholdAnswer{}, event.BadRequest("use a path as aoa suggest prints it", "%v", err)
		}
		b.Paths = []event.Path{p}
	}
	e := event.Event{ID: "feedback:" + api.CallID(ctx), Time: d.now(), Agent: "cli", Session: r.Session, Body: b}
	if _, err := d.events.Append(ctx, []event.Event{e}); err != nil {
		return api.ThresholdAnswer{}, err
	}
	d.events.SyncBriefly(ctx)
	return d.thresholds(r.Session), nil
}

// config reads the settings again.
func (d *Daemon) config(context.Context, api.None) (api.None, error) {
	return api.None{}, d.readSettings()
}
