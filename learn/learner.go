package learn

import (
	"context"
	"fmt"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session/live"
)

// Options of a Learner. The zero value works.
type Options struct {
	// Fold adds what other packages fold of the same events (predictions and their outcomes) to the batch. It is called
	// once per batch with all of its events, and what each changed in its session. nil adds nothing.
	Fold func(ctx context.Context, b *hot.Batch, events []event.Event, deltas []live.Delta) error
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
	sessions *live.Sessions
	opts     Options
	mu       sync.Mutex // held while something is learned
}

// New makes a Learner. Nobody else folds into the sessions.
func New(store Store, sessions *live.Sessions, o Options) *Learner {
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
	f := &fold{batch: hot.NewBatch(), sign: 1}
	deltas := make([]live.Delta, len(events))
	commits := 0
	for i, e := range events {
		if e.Kind() == event.KindCommit {
			commits++
		}
		var s *live.Session
		s, deltas[i] = l.sessions.Apply(e)
		f.event(e, s, deltas[i])
	}
	if commits > bulk {
		f.batch.Cap(bulkCap)
	}
	if l.opts.Fold != nil {
		if err := l.opts.Fold(ctx, f.batch, events, deltas); err != nil {
			return fmt.Errorf("learn batch %d: fold predictions: %w", seq, err)
		}
	}
	if err := l.store.Apply(ctx, f.batch, seq); err != nil {
		return fmt.Errorf("learn batch %d: %w", seq, err)
	}
	return nil
}
