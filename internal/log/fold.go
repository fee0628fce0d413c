package log

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/learn"
)

// Options of a Fold. All are needed.
type Options struct {
	Kept  *cold.Snapshot
	Now   func() time.Time
	Log   *slog.Logger
	Alert *slog.Logger // aoa status shows its warnings
	Count Counter
}

// Counter counts what is learned.
type Counter interface {
	Learned(events int, took time.Duration)
}

// Fold is the consumer of the log that folds the States and saves them. It is safe for concurrent use.
type Fold struct {
	*States
	o       Options
	fresh   func(now func() time.Time) *States // newStates
	events  *Log                               // nil until Begin
	learner *learn.Learner
	applied atomic.Int64

	mu    sync.Mutex // guards what follows
	saved time.Time  // when the last snapshot was written
	err   error      // why the last snapshot could not be written
}

// Load makes the states with the snapshot in them. A snapshot with damage in it, or one made under other half-lives, is
// dropped: the whole log is replayed.
func Load(ctx context.Context, o Options) (*Fold, error) {
	s := &Fold{o: o, fresh: newStates}
	return s, s.load(ctx)
}

// Begin says which log the batches come from. It is called before the first one.
func (s *Fold) Begin(events *Log) { s.events = events }

// Name implements Follower.
func (s *Fold) Name() string { return "scores" }

// Applied implements Follower.
func (s *Fold) Applied() int64 { return s.applied.Load() }

// Apply implements Follower.
func (s *Fold) Apply(ctx context.Context, seq int64, events []event.Event) error {
	begin := s.o.Now()
	if err := s.learner.Learn(ctx, events, seq); err != nil {
		return err
	}
	s.applied.Store(seq)
	s.o.Count.Learned(len(events), s.o.Now().Sub(begin))
	return nil
}

// Flush implements Follower: it writes a snapshot.
func (s *Fold) Flush(ctx context.Context) (durable int64, err error) {
	var state []byte
	err = s.events.Between(func() (err error) {
		durable = s.Applied()
		state, err = s.Snapshot()
		return err
	})
	if err == nil {
		err = s.o.Kept.Save(ctx, durable, state)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err = err; err == nil {
		s.saved = s.o.Now()
	}
	return durable, err
}

// Saved returns when the last snapshot was written, and why the newest could not be.
func (s *Fold) Saved() (at time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saved, s.err
}

func (s *Fold) load(ctx context.Context) error {
	s.States = s.fresh(s.o.Now)
	saved, seq, err := s.o.Kept.Load(ctx)
	if err != nil && !errors.Is(err, cold.ErrRow) {
		return fmt.Errorf("load snapshot: %w", err)
	}
	if err == nil && seq > 0 {
		err = s.Restore(saved)
	}
	switch {
	case errors.Is(err, hot.ErrHalfLives), errors.Is(err, hot.ErrAhead):
		s.o.Log.Info("the log is replayed", "why", err)
	case errors.Is(err, cold.ErrRow): // the store has warned
		s.o.Log.Info("the snapshot was damaged: the log is replayed", "err", err)
	case err != nil:
		s.o.Alert.Warn("the snapshot was damaged: the log is replayed", "err", err)
	default:
		s.applied.Store(seq)
	}
	if err != nil {
		s.States = s.fresh(s.o.Now)
	}
	var list []learn.Consumer
	for _, c := range s.consumers {
		list = append(list, c)
	}
	s.learner = learn.New(s.Hot, s.Sessions, learn.Options{Consumers: list, Panicked: s.panicked})
	return nil
}

// panicked warns of an event that is not learned.
func (s *Fold) panicked(e event.Event, why any) {
	s.o.Log.Error("an event made learning panic", "event", e.ID, "panic", why, "stack", string(debug.Stack()))
	s.o.Alert.Warn("an event cannot be learned and is passed over", "event", e.ID, "kind", e.Kind(), "why", why)
}
