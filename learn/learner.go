package learn

import (
	"context"
	"fmt"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session"
)

// Options of a Learner. The zero value works.
type Options struct {
	Consumers []Consumer // that fold the same events into states of their own, in this order
	// Panicked is told of an event that made a fold panic. That event is passed over, or all later ones would never be
	// learned: the next start would read it again. nil: the panic goes on.
	Panicked func(e event.Event, why any)
}

// Consumer folds events into a state of its own. It reads the event, its session as it is after it (nil for none), and
// what the event changed in sessions; it keeps neither.
type Consumer interface {
	Apply(e event.Event, s *session.Session, d session.Delta)
}

// Store is where a Learner keeps what it learns.
type Store interface {
	Applied(ctx context.Context) (seq int64, err error)
	Apply(ctx context.Context, b *hot.Batch, seq int64) error
}

// Learner folds events into one store, and into the sessions. Safe for concurrent use; calls are carried out one after
// the other.
type Learner struct {
	store    Store
	sessions *session.Sessions
	opts     Options
	mu       sync.Mutex // held while something is learned
}

// New makes a Learner. Nobody else folds into the sessions.
func New(store Store, sessions *session.Sessions, o Options) *Learner {
	return &Learner{store: store, sessions: sessions, opts: o}
}

const (
	bulk    = 500 // a batch of more commits is an import …
	bulkCap = 64  // … whose sets of partners are cut to this size while they are collected
)

// Learn folds one batch into the sessions, and with one Apply into the store. Sequences increase; a batch that was
// applied before changes nothing. What ends ctx before the batch is begun changes nothing, either; once it is begun, it
// is learned as a whole.
func (l *Learner) Learn(ctx context.Context, events []event.Event, seq int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	applied, err := l.store.Applied(ctx)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("learn batch %d: %w", seq, err)
	}
	if seq <= applied {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // sessions cannot go back
	f := &fold{batch: hot.NewBatch()}
	commits := 0
	for _, e := range events {
		if e.Kind() == event.KindCommit {
			commits++
		}
		l.fold(f, e)
	}
	if commits > bulk {
		f.batch.Cap(bulkCap)
	}
	if err := l.store.Apply(ctx, f.batch, seq); err != nil {
		return fmt.Errorf("learn batch %d: %w", seq, err)
	}
	return nil
}

// fold folds one event into the sessions, the batch and the consumers.
func (l *Learner) fold(f *fold, e event.Event) {
	if l.opts.Panicked != nil {
		defer func() {
			if why := recover(); why != nil {
				l.opts.Panicked(e, why)
			}
		}()
	}
	s, delta := l.sessions.Apply(e)
	f.event(e, s, delta)
	for _, c := range l.opts.Consumers {
		c.Apply(e, s, delta)
	}
}
