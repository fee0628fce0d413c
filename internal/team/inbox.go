package team

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/event"
)

// read takes what others have appended since the last reading.
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

// after reads entries behind one, "" for the first. next is where to go on, the same at the end. An entry that is too
// large to be read is passed over.
func (l *link) after(ctx context.Context, start string) (found []redis.XMessage, next string, err error) {
	from := "-"
	if start != "" {
		from = "(" + start
	}
	found, err = l.client.XRangeN(ctx, l.events, from, "+", l.count).Result()
	switch {
	case errors.Is(err, errReply) && l.count > 1:
		l.count = 1
		return l.after(ctx, start)
	case errors.Is(err, errReply):
		l.t.refuse("", err)
		next, err = l.large(ctx, from)
		return nil, next, err
	case err != nil:
		return nil, start, fmt.Errorf("read the team's events: %w", err)
	case len(found) == 0:
		return nil, start, nil
	}
	l.count = min(page, 2*l.count)
	return found, found[len(found)-1].ID, nil
}

// large finds the id of an entry that is too large to be read: the first behind from. The server can only be asked whether
// an entry lies in a range, and breaks off when it does. So the upper end of the range is halved, first by milliseconds and
// then by the number within one. Small numbers are tried first: each answer that is broken off costs a connection.
func (l *link) large(ctx context.Context, from string) (string, error) {
	id := [2]uint64{math.MaxUint64, math.MaxUint64}
	for part := range id {
		low, high := uint64(0), uint64(math.MaxUint64)
		for low < high {
			id[part] = low + min(low, (high-low)/2)
			found, err := l.client.XRangeN(ctx, l.events, from, entryID(id), 1).Result()
			switch {
			case errors.Is(err, errReply), len(found) > 0: // found: the large one was deleted meanwhile
				high = id[part]
			case err != nil:
				return "", fmt.Errorf("pass over an entry of the team's events: %w", err)
			default:
				low = id[part] + 1
			}
		}
		id[part] = low
	}
	return entryID(id), nil
}

func entryID(id [2]uint64) string { return fmt.Sprintf("%d-%d", id[0], id[1]) }

// take gives the log what one reading found: events, and then what is to be forgotten of those before.
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

// open reads one entry of another origin. The event has an ID if it is to be taken.
func (l *link) open(m redis.XMessage) (event.Event, *Filter) {
	raw, _ := m.Values[field].(string)
	at := entryTime(m.ID)
	if now := l.t.o.Now(); at.After(now) { // the server's clock was ahead, or somebody chose the id
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
