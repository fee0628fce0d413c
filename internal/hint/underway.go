package hint

import (
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Bounds of the edits that are remembered until the log has them.
const (
	underwayLife = 10 * time.Minute // a person may have to allow an edit
	maxUnderway  = 4096             // edits
)

// underway are the edits that agents have begun. Of several calls made together the first may be on disk before the log
// has it, and is no change by others.
type underway struct {
	mu    sync.Mutex // guards begun
	begun map[edit]time.Time
}

type edit struct {
	session string
	file    event.Path
}

// note notes an edit that begins.
func (u *underway) note(session string, f event.Path, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.begun == nil || len(u.begun) >= maxUnderway {
		u.begun = map[edit]time.Time{}
	}
	u.begun[edit{session, f}] = at
}

// since reports whether a session has begun to edit a file after its last open that the log has.
func (u *underway) since(session string, f event.Path, opened, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	begun, known := u.begun[edit{session, f}]
	return known && begun.After(opened) && now.Sub(begun) < underwayLife
}
