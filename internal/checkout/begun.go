package checkout

import (
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Limits for changes that are remembered from their beginning on.
const (
	begunLife = 10 * time.Minute // how long a begun change is remembered; a person may first have to allow it
	maxBegun  = 4096             // changes
)

// begun has the changes of files that calls have begun. An agent announces a change before the call
// writes. So aOa knows Call.Before, and knows that new content on disk comes from the session
// although the log does not have the call yet.
type begun struct {
	mu      sync.Mutex // guards changes
	changes map[begunFile]beginning
}

// begunFile is a file that a session changes.
type begunFile struct {
	session string
	file    event.Path
}

// beginning tells when a change began. before is for Call.Before, until a call has taken it.
type beginning struct {
	at     time.Time
	before string
}

// note records a change that begins.
func (b *begun) note(session string, f event.Path, before string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changes == nil || len(b.changes) >= maxBegun {
		b.changes = map[begunFile]beginning{}
	}
	b.changes[begunFile{session, f}] = beginning{at, before}
}

// takeBefore returns the content id that a file had before the last change that a session began. It
// returns it only once.
func (b *begun) takeBefore(session string, f event.Path) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	one, known := b.changes[begunFile{session, f}]
	if known {
		b.changes[begunFile{session, f}] = beginning{at: one.at}
	}
	return one.before
}

// Changing reports whether a session has begun to change a file after its last logged open of that
// file, at most 10 minutes before now. If several calls are made together, the first may be on disk
// before the log has it.
func (w *Checkout) Changing(session string, f event.Path, opened, now time.Time) bool {
	w.begun.mu.Lock()
	defer w.begun.mu.Unlock()
	one, known := w.begun.changes[begunFile{session, f}]
	return known && one.at.After(opened) && now.Sub(one.at) < begunLife
}
