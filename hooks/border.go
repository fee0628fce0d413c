package hooks

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// borderApart is how far apart two starts or ends of one session are at least.
const borderApart = 10 * time.Second

// Borders leaves out a start or an end of a session that was reported a moment ago: an agent that finds the
// hooks in two settings files runs both, and its payloads have no id.
type Borders struct {
	mu   sync.Mutex           // guards last
	last map[border]time.Time // when it was last reported
}

type border struct {
	session, subagent string
	event.Body        // Start or End
}

// First returns the events without repeated starts and ends.
func (b *Borders) First(events []event.Event) []event.Event {
	return slices.DeleteFunc(events, func(e event.Event) bool {
		return (e.Kind() == event.KindStart || e.Kind() == event.KindEnd) && b.repeated(e)
	})
}

func (b *Borders) repeated(e event.Event) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := border{e.Session, e.Subagent, e.Body}
	if before, known := b.last[key]; known && e.Time.Sub(before).Abs() < borderApart {
		return true
	}
	if b.last == nil {
		b.last = map[border]time.Time{}
	}
	maps.DeleteFunc(b.last, func(_ border, at time.Time) bool { return e.Time.Sub(at) >= borderApart })
	b.last[key] = e.Time
	return false
}
