package checkout

import "github.com/aoa-dev/aoa/internal/event"

// maxSessions is the number of sessions whose checkouts are remembered. When it is exceeded all are
// dropped.
const maxSessions = 4096

// Saw records that a session was active in a checkout. Events do not tell the checkout, because
// what is learned is valid in all of them. After a start nothing is recorded yet, and the newest
// session counts as that of every checkout.
func (t *Set) Saw(session string, root event.Root) {
	if session == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sessions == nil || len(t.sessions) >= maxSessions {
		t.sessions = map[string]event.Root{}
	}
	t.sessions[session] = root
}

// Elsewhere reports whether a session was last active in another checkout.
func (t *Set) Elsewhere(session string, root event.Root) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, known := t.sessions[session]
	return known && at != root
}
