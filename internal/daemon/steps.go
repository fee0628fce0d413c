package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// steps are the batches that are durable, on their way into hot.
type steps struct {
	learn func(context.Context, []event.Event, int64) error // called in order, one at a time
	log   *slog.Logger

	mu     sync.Mutex // guards what follows
	change *sync.Cond
	queue  []step
	last   int64 // highest sequence put
	done   int64 // highest sequence learned
	lost   error // the first batch that could not be learned: no snapshot is taken any more
	closed bool

	learning sync.Mutex // held while a step is learned; a snapshot holds it to read one state
}

type step struct {
	seq    int64
	events []event.Event
	at     time.Time // when it became durable
}

func newSteps(learn func(context.Context, []event.Event, int64) error, log *slog.Logger) *steps {
	s := &steps{learn: learn, log: log}
	s.change = sync.NewCond(&s.mu)
	return s
}

// put queues a batch that is durable since that time.
func (s *steps) put(seq int64, events []event.Event, at time.Time) {
	if len(events) == 0 {
		return
	}
	s.mu.Lock()
	s.queue = append(s.queue, step{seq, events, at})
	s.last = seq
	s.mu.Unlock()
	s.change.Broadcast()
}

func (s *steps) newest() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// oldest is since when the first batch waits; zero if none does.
func (s *steps) oldest() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return time.Time{}
	}
	return s.queue[0].at
}

// Wait returns when the batch with that sequence number is learned, or never will be.
func (s *steps) Wait(ctx context.Context, seq int64) error {
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.change.Broadcast()
	})
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.done < seq && ctx.Err() == nil && !s.closed {
		s.change.Wait()
	}
	switch {
	case s.done >= seq:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return errStopping
}

var errStopping = errors.New("the daemon is stopping")

// run learns until close was called and the queue is empty.
func (s *steps) run(ctx context.Context) {
	for {
		s.mu.Lock()
		for len(s.queue) == 0 && !s.closed {
			s.change.Wait()
		}
		more := len(s.queue) > 0
		s.mu.Unlock()
		if !more {
			return
		}
		s.one(ctx)
	}
}

func (s *steps) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.change.Broadcast()
}

// rest learns what was put after run had ended.
func (s *steps) rest(ctx context.Context) {
	for !s.oldest().IsZero() {
		s.one(ctx)
	}
}

// one learns the first batch of the queue, which has one.
func (s *steps) one(ctx context.Context) {
	s.mu.Lock()
	b := s.queue[0]
	s.mu.Unlock()
	s.learning.Lock()
	err := s.learn(ctx, b.events, b.seq)
	if err != nil {
		// The batch is durable: it is learned again from cold at the next start.
		s.log.Error("batch not learned", "seq", b.seq, "events", len(b.events), "err", err)
	}
	s.mu.Lock()
	s.queue = s.queue[1:]
	s.done = b.seq
	if s.lost == nil {
		s.lost = err
	}
	s.mu.Unlock()
	s.learning.Unlock()
	s.change.Broadcast()
}

// Learned runs fn while nothing is being learned, with the sequence number that hot stands at. It refuses once
// a batch was lost: a snapshot would hide it from the replay that repairs it.
func (s *steps) Learned(fn func(seq int64) error) error {
	s.learning.Lock()
	defer s.learning.Unlock()
	s.mu.Lock()
	seq, lost := s.done, s.lost
	s.mu.Unlock()
	if lost != nil {
		return fmt.Errorf("a batch was not learned, restart to repair: %w", lost)
	}
	return fn(seq)
}

// Stand sets what hot stands at: after a start the snapshot and the replayed tail.
func (s *steps) Stand(seq int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done, s.last = seq, seq
}
