package checkout

import (
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Bounds of the changes that are remembered from their beginning on.
const (
	begunLife = 10 * time.Minute // a person may have to allow a change
	maxBegun  = 4096             // changes
)

// begun are the changes of files that calls have begun. An agent says so before the call writes:
// this is how Call.Before is known, and that bytes on disk which the log does not know yet are the
// session's own.
type begun struct {
	mu      sync.Mutex // guards changes
	changes map[begunFile]beginning
}

// begunFile is a file that a session changes.
type begunFile struct {
	session string
	file    event.Path
}

// beginning is when a change began, and Call.Before of it until a call has taken that.
type beginning struct {
	at     time.Time
	before string
}

// note notes a change that begins.
func (b *begun) note(session string, f event.Path, before string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changes == nil || len(b.changes) >= maxBegun {
		b.changes = map[begunFile]beginning{}
	}
	b.changes[begunFile{session, f}] = beginning{at, before}
}

// takeBefore returns what a file said before the last change that a session began, once.
func (b *begun) takeBefore(session string, f event.Path) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	one, known := b.changes[begunFile{session, f}]
	if known {
		b.changes[begunFile{session, f}] = beginning{at: one.at}
	}
	return one.before
}

// Changing reports whether a session has begun to change a file after its last open that the log
// has, at most 10 minutes before now. Of several calls made together the first may be on disk
// before the log has it.
func (w *Checkout) Changing(session string, f event.Path, opened, now time.Time) bool {
	w.begun.mu.Lock()
	defer w.begun.mu.Unlock()
	one, known := w.begun.changes[begunFile{session, f}]
	return known && one.at.After(opened) && now.Sub(one.at) < begunLife
}
