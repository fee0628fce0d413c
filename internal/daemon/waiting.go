package daemon

import (
	"sync"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
)

// waiting keeps what happened at events without a channel to the model, for the next event that has one.
type waiting struct {
	mu     sync.Mutex          // guards events
	events map[string][]waiter // session → what waits, oldest first
}

type waiter struct {
	event event.Event
	at    time.Time
}

// Bounds of what waits.
const (
	waitLife     = 5 * time.Minute
	waitEvents   = 32  // events per session
	waitSessions = 256 // sessions
)

// add keeps the events that a fact could be said about.
func (w *waiting) add(call hooks.Call, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range call.Events {
		if e.Kind != event.KindFailed && e.Kind != event.KindEdit && e.Kind != event.KindWrite {
			continue
		}
		if w.events == nil || len(w.events) > waitSessions {
			w.events = map[string][]waiter{}
		}
		list := append(w.events[call.Session], waiter{e, at})
		w.events[call.Session] = list[max(0, len(list)-waitEvents):]
	}
}

// take hands out what waits for a session and is not too old.
func (w *waiting) take(session string, at time.Time) (out []event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.events[session] {
		if at.Sub(x.at) < waitLife {
			out = append(out, x.event)
		}
	}
	delete(w.events, session)
	return out
}
