package checkout

import (
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Bounds of the changes that are remembered from their announcement on.
const (
	announcedLife = 10 * time.Minute // a person may have to allow a change
	maxAnnounced  = 4096             // changes
)

// announcements are the changes of files that agents have begun.
type announcements struct {
	mu    sync.Mutex // guards begun
	begun map[change]announcement
}

// change is a file that a session changes.
type change struct {
	session string
	file    event.Path
}

// announcement is when a change began, and Call.Before of it until a call has taken that.
type announcement struct {
	at     time.Time
	before string
}

// note notes a change that begins.
func (a *announcements) note(session string, f event.Path, before string, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.begun == nil || len(a.begun) >= maxAnnounced {
		a.begun = map[change]announcement{}
	}
	a.begun[change{session, f}] = announcement{at, before}
}

// takeBefore returns what a file said before the change that a session announced last, once.
func (a *announcements) takeBefore(session string, f event.Path) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	one, known := a.begun[change{session, f}]
	if known {
		a.begun[change{session, f}] = announcement{at: one.at}
	}
	return one.before
}

// Changing reports whether a session has begun to change a file after its last open that the log has, at most 10
// minutes before now. Of several calls made together the first may be on disk before the log has it.
func (w *Checkout) Changing(session string, f event.Path, opened, now time.Time) bool {
	w.announced.mu.Lock()
	defer w.announced.mu.Unlock()
	one, known := w.announced.begun[change{session, f}]
	return known && one.at.After(opened) && now.Sub(one.at) < announcedLife
}
