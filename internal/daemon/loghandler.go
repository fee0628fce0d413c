package daemon

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// addEvents logs events of other tools. It answers when they are durable.
func (d *Daemon) addEvents(ctx context.Context, in []event.Event) (api.EventsAnswer, error) {
	var out api.EventsAnswer
	if d.settings.Paused() {
		return out, &event.Refusal{Code: event.CodeBusy, Message: "aOa is paused", Hint: "aoa pause off"}
	}
	w := d.worktrees.Caller(ctx)
	kept := in[:0]
	for i, e := range in {
		if err := checkEvent(e); err != nil {
			return out, event.BadRequest("docs/api.md lists the fields", "event %d: %v", i, err)
		}
		had := len(e.Paths()) + len(e.Gone())
		w.Clean(&e)
		e.Body = redact.Identify(e.Body)
		if had > 0 && len(e.Paths())+len(e.Gone()) == 0 {
			out.Ignored++
			continue
		}
		kept = append(kept, e)
	}
	d.worktrees.HideWords(ctx, w, kept, readTime)
	fresh, err := d.events.Append(ctx, kept)
	if err != nil {
		return out, &event.Refusal{Code: event.CodeFull, Message: err.Error(), Hint: "aoa doctor"}
	}
	out.Accepted, out.Duplicate = fresh, len(kept)-fresh
	return out, nil
}

func (d *Daemon) showLog(ctx context.Context, r cold.LogFilter) (api.LogAnswer, error) {
	d.events.SyncBriefly(ctx)
	r.Limit = cmp.Or(r.Limit, 100)
	events, err := d.db.Log(ctx, r)
	// The newest events are selected, but listed oldest first, because people read a log downwards.
	slices.Reverse(events)
	return api.LogAnswer{Events: events}, err
}

// checkEvent returns an error for an event that no consumer could use.
func checkEvent(e event.Event) error {
	switch {
	case e.ID == "":
		return errors.New("it has no id, by which a repeated delivery is recognized")
	case e.Kind() == "":
		return errors.New("no kind")
	case e.Time.IsZero():
		return errors.New("no time")
	}
	return nil
}
