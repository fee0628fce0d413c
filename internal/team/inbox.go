package team

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/event"
)

// read reads the entries that other daemons have appended since the last reading.
func (l *link) read(ctx context.Context) error {
	for {
		start := l.t.now().Read
		found, next, err := l.after(ctx, start)
		if err != nil || next == start {
			return err
		}
		if err := l.take(ctx, found); err != nil {
			return err
		}
		if err := l.t.update(ctx, func(s *state) { s.Read = next }); err != nil {
			return err
		}
	}
}

// after returns the entries that follow the entry with the ID start, or the oldest ones if start is
// "". next is the ID to continue from; at the end of the stream it equals start.
func (l *link) after(ctx context.Context, start string) (found []redis.XMessage, next string, err error) {
	from := "-"
	if start != "" {
		from = "(" + start
	}
	found, err = l.client.XRangeN(ctx, l.events, from, "+", page).Result()
	switch {
	case err != nil:
		return nil, start, fmt.Errorf("read the team's events: %w", err)
	case len(found) == 0:
		return nil, start, nil
	}
	return found, found[len(found)-1].ID, nil
}

// take adds the events of one reading to the log. Then it deletes the earlier events that the
// reading says are to be forgotten.
func (l *link) take(ctx context.Context, found []redis.XMessage) error {
	var events []event.Event
	forgets := map[string][]Filter{}
	for _, m := range found {
		e, forget := l.open(m)
		switch {
		case forget != nil:
			forgets[e.Origin] = append(forgets[e.Origin], *forget)
		case e.ID != "":
			events = append(events, e)
		}
	}
	if len(events) > 0 {
		if err := l.t.o.Log.Take(ctx, events); err != nil {
			return err
		}
	}
	if len(forgets) == 0 {
		return nil
	}
	_, err := l.t.o.Log.Forget(ctx, func(e event.Event) bool { return anyMeans(forgets[e.Origin], e) })
	return err
}

// open decodes one entry of another origin. The event has no ID if the entry is refused or holds a
// filter.
func (l *link) open(m redis.XMessage) (event.Event, *Filter) {
	raw, _ := m.Values[field].(string)
	at := entryTime(m.ID)
	if now := l.t.o.Now(); at.After(now) { // the server's clock was ahead, or someone chose the ID
		at = now
	}
	e, forget, origin, bad := decode(raw, at)
	if origin == l.t.o.Origin {
		return event.Event{}, nil
	}
	if bad == nil {
		bad = l.t.admit(origin)
	}
	if bad != nil {
		if !errors.Is(bad, errRemoved) {
			l.t.refuse(origin, bad)
		}
		return event.Event{}, nil
	}
	if forget != nil {
		return event.Event{Origin: origin}, forget
	}
	return e, nil
}
