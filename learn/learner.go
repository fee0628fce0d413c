package learn

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
)

// Learner is the consumer of the log that adds events to the weights of one store. Only the
// goroutine that writes the log may call it; any goroutine may read the store.
type Learner struct{ *hot.Store }

// New returns a Learner. Nothing else may write to the store.
func New(store *hot.Store) *Learner { return &Learner{store} }

// Learn applies events to sessions and to the store. It does what the log does, for programs that
// have no log.
func (l *Learner) Learn(sessions *session.Sessions, events ...event.Event) {
	for _, e := range events {
		s, d := sessions.Apply(e)
		l.Apply(e, s, d)
	}
}
