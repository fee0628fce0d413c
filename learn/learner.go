package learn

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
)

// Learner is the consumer of the log that folds events into the weights of one store. Only the
// goroutine that writes the log calls it; anyone may read the store.
type Learner struct{ *hot.Store }

// New makes a Learner. Nobody else writes to the store.
func New(store *hot.Store) *Learner { return &Learner{store} }

// Learn folds events into sessions and the store: what the log does, for programs that have none.
func (l *Learner) Learn(sessions *session.Sessions, events ...event.Event) {
	for _, e := range events {
		s, d := sessions.Apply(e)
		l.Apply(e, s, d)
	}
}
