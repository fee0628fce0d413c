package hint

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

// PeerEdits are the recent edits of agents in other clones, as far as this daemon learned of them since its start.
type PeerEdits struct {
	now func() time.Time

	mu    sync.Mutex // guards edits
	edits map[event.Path]time.Time
}

// NewPeerEdits knows none.
func NewPeerEdits(now func() time.Time) *PeerEdits {
	return &PeerEdits{now: now, edits: map[event.Path]time.Time{}}
}

// Note notes the edits among events of others.
func (r *PeerEdits) Note(events []event.Event) {
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

// Newest returns when an agent in another clone changed a file last; zero if none did.
func (r *PeerEdits) Newest(p event.Path) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.edits[p]
}
