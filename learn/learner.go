package learn

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
)

// Learner is the consumer of the log that folds events into the weights of one store. It collects what the events of a
// batch change, and Commit adds that to the store. Only the goroutine that writes the log calls it; anyone may read the
// store.
type Learner struct {
	*hot.Store
	batch   *hot.Batch
	commits int // in the batch
}

// New makes a Learner. Nobody else writes to the store.
func New(store *hot.Store) *Learner { return &Learner{Store: store, batch: hot.NewBatch()} }

const (
	bulk    = 500 // a batch of more commits is an import …
	bulkCap = 64  // … whose sets of partners are cut to this size while they are collected
)

// Apply collects what an event changes. s is its session after it, nil for none, and d is what it changed there.
func (l *Learner) Apply(e event.Event, s *session.Session, d session.Delta) {
	if e.Kind() == event.KindCommit {
		l.commits++
	}
	f := fold{l.batch}
	f.event(e, s, d)
}

// Commit adds what was collected to the store.
func (l *Learner) Commit() {
	if l.commits > bulk {
		l.batch.Cap(bulkCap)
	}
	batch := l.batch
	l.batch, l.commits = hot.NewBatch(), 0
	l.Store.Apply(batch)
}

// Learn folds a batch into sessions and the store: what the log does, for programs that have none.
func (l *Learner) Learn(sessions *session.Sessions, events ...event.Event) {
	for _, e := range events {
		s, d := sessions.Apply(e)
		l.Apply(e, s, d)
	}
	l.Commit()
}
