package daemon

import (
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Bounds of the edits in other clones that are remembered.
const (
	editLife  = time.Hour // an edit's age
	maxOthers = 4096      // files
)

// remoteEdits are the recent edits of agents in other clones, as far as this daemon learned of them since its start.
type remoteEdits struct {
	now func() time.Time

	mu    sync.Mutex // guards edits
	edits map[event.Path]time.Time
}

// note notes the edits among events of others.
func (r *remoteEdits) note(events []event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	for _, e := range events {
		if !e.Edits() || now.Sub(e.Time) >= editLife {
			continue
		}
		for _, p := range e.Paths() {
			if len(r.edits) >= maxOthers {
				clear(r.edits)
			}
			if e.Time.After(r.edits[p]) {
				r.edits[p] = e.Time
			}
		}
	}
}

// newest returns when an agent in another clone changed a file last; zero if none did.
func (r *remoteEdits) newest(p event.Path) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.edits[p]
}
