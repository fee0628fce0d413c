package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session/live"
)

// Bounds of the edits that others are notified of.
const (
	editLife  = time.Hour // an edit's age
	maxOthers = 4096      // files that others are known to have edited
)

// remoteEdits are the recent edits that the daemons of a shared server notify each other of.
type remoteEdits struct {
	now func() time.Time

	mu    sync.Mutex // guards edits
	edits map[event.Path]time.Time
}

// add adds to a batch what the other daemons are notified of: recent edits.
func (r *remoteEdits) add(_ context.Context, b *hot.Batch, events []event.Event, _ []live.Delta) error {
	now := r.now()
	for _, e := range events {
		if e.Kind.Edit() || e.Kind == event.KindSave {
			for _, p := range e.Paths {
				if now.Sub(e.Time) < editLife {
					b.Edit(hot.Edit{File: p, At: e.Time})
				}
			}
		}
	}
	return nil
}

// note notes another daemon's edit.
func (r *remoteEdits) note(e hot.Edit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.edits) >= maxOthers {
		clear(r.edits)
	}
	if e.At.After(r.edits[e.File]) {
		r.edits[e.File] = e.At
	}
}

// newest returns when another daemon's agent changed a file last; zero if none did.
func (r *remoteEdits) newest(p event.Path) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.edits[p]
}
