package checkout

import (
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// places remembers in which checkout a session was active last. Events do not contain it, because what is
// learned is valid in all checkouts. After a start it is empty, and the newest session counts as that of every
// checkout.
type places struct {
	mu   sync.Mutex
	root map[string]event.Root // session → checkout
}

// maxSessions bounds the sessions remembered; then all are dropped.
const maxSessions = 4096

func (p *places) saw(session string, root event.Root) {
	if session == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.root == nil || len(p.root) >= maxSessions {
		p.root = map[string]event.Root{}
	}
	p.root[session] = root
}

func (p *places) elsewhere(session string, root event.Root) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, known := p.root[session]
	return known && at != root
}
