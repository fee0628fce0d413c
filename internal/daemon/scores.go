package daemon

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/eventlog"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/learn"
	"github.com/aoa-dev/aoa/prefetch"
)

// states are what is folded of the log and saved together, at one position of it.
type states struct {
	hot         *hot.Store
	live        *live.Sessions
	predictions *prefetch.State
	consumers   []consumer // that get each event with what it changed in its session
}

// consumer folds events into a state of its own.
type consumer interface {
	learn.Consumer
	state
}

// state can be saved, and restored while it is empty.
type state interface {
	Snapshot() ([]byte, error)
	Restore(saved []byte) error
}

// newStates makes the states before the first event. A consumer is added here.
func newStates(now func() time.Time) *states {
	s := &states{hot: hot.New(now), live: live.New(), predictions: prefetch.NewState()}
	s.consumers = []consumer{s.predictions}
	return s
}

// all are the states in the order in which they are saved.
func (s *states) all() []state {
	out := []state{s.hot, s.live}
	for _, c := range s.consumers {
		out = append(out, c)
	}
	return out
}

// Snapshot encodes all states, each behind its length in 8 bytes.
func (s *states) Snapshot() (saved []byte, err error) {
	for _, x := range s.all() {
		part, err := x.Snapshot()
		if err != nil {
			return nil, err
		}
		saved = append(binary.BigEndian.AppendUint64(saved, uint64(len(part))), part...)
	}
	return saved, nil
}

// Restore is the inverse of Snapshot.
func (s *states) Restore(saved []byte) error {
	for _, x := range s.all() {
		if len(saved) < 8 || binary.BigEndian.Uint64(saved) > uint64(len(saved)-8) {
			return errParts
		}
		end := 8 + binary.BigEndian.Uint64(saved)
		if err := x.Restore(saved[8:end]); err != nil {
			return err
		}
		saved = saved[end:]
	}
	return nil
}

var errParts = errors.New("a state is missing")

// scores is the consumer of the log that folds the states.
type scores struct {
	base
	*states
	fresh   func(now func() time.Time) *states // newStates
	kept    *cold.Snapshot
	learner *learn.Learner
	clock   *clock
	metrics *metrics
	applied atomic.Int64

	events *eventlog.Log // nil until the consumers are known

	saving sync.Mutex  // held while a snapshot is taken
	void   atomic.Bool // the store holds what was forgotten: no snapshot of it is kept

	mu      sync.Mutex // guards what follows
	durable int64      // the last batch in the snapshot on disk
	saved   time.Time  // when the last snapshot was written
	err     error      // why the last snapshot could not be written
}

func (s *scores) Name() string { return "scores" }

func (s *scores) Applied() int64 { return s.applied.Load() }

func (s *scores) Apply(ctx context.Context, seq int64, events []event.Event) error {
	begin := s.now()
	if err := s.learner.Learn(ctx, events, seq); err != nil {
		return err
	}
	s.applied.Store(seq)
	s.metrics.learned(len(events), s.now().Sub(begin))
	return nil
}

// Flush writes a snapshot if anything was applied since the last one. One at a time: of two, the older one saved last
// would be taken for the newer.
func (s *scores) Flush(ctx context.Context) (durable int64, err error) {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.mu.Lock()
	before := s.durable
	s.mu.Unlock()
	if s.Applied() == before || s.void.Load() || !s.clock.lasting() {
		return before, nil
	}
	var at int64
	var state []byte
	err = s.events.Between(func() (err error) {
		at = s.Applied()
		state, err = s.Snapshot()
		return err
	})
	if err == nil {
		err = s.kept.Save(ctx, at, state)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err = err; err != nil {
		return before, err
	}
	s.saved, s.durable = s.now(), at
	return at, nil
}

// dropped notes that the snapshot may be gone; with void, what is in memory is not to be saved any more, either.
func (s *scores) dropped(void bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.durable = 0
	if void {
		s.void.Store(true)
	}
}

// snapshot returns when the last snapshot was written, and why the newest could not be.
func (s *scores) snapshot() (at time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saved, s.err
}

// load makes the states with the snapshot in them. A snapshot with damage in it, or one made under other half-lives, is
// dropped: the whole log is replayed.
func (s *scores) load(ctx context.Context) error {
	s.states = s.fresh(s.now)
	saved, seq, err := s.kept.Load(ctx)
	if err != nil && !errors.Is(err, cold.ErrRow) {
		return fmt.Errorf("load snapshot: %w", err)
	}
	if err == nil && seq > 0 {
		err = s.Restore(saved)
	}
	switch {
	case errors.Is(err, hot.ErrHalfLives):
		s.log.Info("half-lives have changed: the log is replayed")
	case err != nil:
		s.alert.Warn("the snapshot was damaged: the log is replayed", "err", err)
	default:
		s.applied.Store(seq)
		s.durable = seq
	}
	if err != nil {
		s.states = s.fresh(s.now)
	}
	var list []learn.Consumer
	for _, c := range s.consumers {
		list = append(list, c)
	}
	s.learner = learn.New(s.hot, s.live, learn.Options{Consumers: list})
	return nil
}
