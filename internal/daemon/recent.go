package daemon

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// recentEvents is the consumer that keeps, for a few minutes, the events that a hint can be about: edits and failed
// calls. Some hooks cannot carry a hint, so the next one of the session that can asks for what happened since.
type recentEvents struct {
	now     func() time.Time
	applied atomic.Int64

	mu     sync.Mutex               // guards events
	events map[string][]event.Event // session → its events, oldest first
}

// Bounds of what is kept.
const (
	recentLife     = 5 * time.Minute
	recentKept     = 32  // events per session
	recentSessions = 256 // sessions
)

func newRecentEvents(now func() time.Time, applied int64) *recentEvents {
	r := &recentEvents{now: now, events: map[string][]event.Event{}}
	r.applied.Store(applied)
	return r
}

func (r *recentEvents) Name() string { return "recent events" }

func (r *recentEvents) Applied() int64 { return r.applied.Load() }

func (r *recentEvents) Apply(_ context.Context, seq int64, events []event.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	oldest := r.now().Add(-recentLife)
	for _, e := range events {
		if e.Session == "" || !hintable(e.Kind) || e.Time.Before(oldest) {
			continue
		}
		if len(r.events) > recentSessions {
			clear(r.events)
		}
		list := append(r.events[e.Session], e)
		r.events[e.Session] = list[max(0, len(list)-recentKept):]
	}
	r.applied.Store(seq)
	return nil
}

// hintable reports whether a hint can be about an event of that kind.
func hintable(k event.Kind) bool {
	return k == event.KindFailed || k == event.KindEdit || k == event.KindWrite
}

// take removes and returns the events of a session since the last take, and those of own that were not applied yet.
func (r *recentEvents) take(session string, own []event.Event) (out []event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	oldest := r.now().Add(-recentLife)
	for _, e := range r.events[session] {
		if e.Time.After(oldest) {
			out = append(out, e)
		}
	}
	delete(r.events, session)
	for _, e := range own {
		if hintable(e.Kind) && !slices.ContainsFunc(out, func(o event.Event) bool { return o.ID == e.ID }) {
			out = append(out, e)
		}
	}
	return out
}

func (r *recentEvents) Flush(context.Context) (int64, error) { return r.Applied(), nil }

func (r *recentEvents) Forget(context.Context, cold.ForgetFilter) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.events)
	return nil
}
