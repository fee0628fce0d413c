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
)

// scores is the consumer that learns: it folds events into the sessions and the hot store, and with them the state of
// predictions. Its durable form is one snapshot of both.
type scores struct {
	base
	kept    *cold.Snapshot
	hot     *hot.Store
	live    *live.Sessions // saved with the scores
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
		state, err = s.encode(ctx)
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

// encode is the state as it is saved: scores and sessions, each behind its length in 8 bytes.
func (s *scores) encode(ctx context.Context) ([]byte, error) {
	sets, err := s.hot.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	sessions, err := s.live.Snapshot()
	state := make([]byte, 0, len(sets)+len(sessions)+16)
	for _, part := range [][]byte{sets, sessions} {
		state = append(binary.BigEndian.AppendUint64(state, uint64(len(part))), part...)
	}
	return state, err
}

// snapshot returns when the last snapshot was written, and why the newest could not be.
func (s *scores) snapshot() (at time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saved, s.err
}

// load makes the hot store and the sessions with the snapshot in them. A snapshot with damage in it, or one made
// under other half-lives, is dropped: the whole log is replayed.
func (s *scores) load(ctx context.Context) error {
	s.hot, s.live = hot.New(s.now), live.New()
	state, seq, err := s.kept.Load(ctx)
	if err == nil && seq > 0 {
		err = s.restore(state)
	}
	switch {
	case errors.Is(err, hot.ErrHalfLives):
		s.log.Info("half-lives have changed: the log is replayed")
	case errors.Is(err, cold.ErrRow), errors.Is(err, live.ErrSnapshot), errors.Is(err, hot.ErrSnapshot):
		s.alert.Warn("the snapshot was damaged: the log is replayed", "err", err)
	case err != nil:
		return fmt.Errorf("load snapshot: %w", err)
	default:
		s.applied.Store(seq)
		s.durable = seq
		return nil
	}
	s.hot, s.live = hot.New(s.now), live.New()
	return nil
}

// restore is the inverse of encode.
func (s *scores) restore(state []byte) error {
	for _, restore := range []func([]byte) error{s.hot.Restore, s.live.Restore} {
		if len(state) < 8 || binary.BigEndian.Uint64(state) > uint64(len(state)-8) {
			return hot.ErrSnapshot
		}
		end := 8 + binary.BigEndian.Uint64(state)
		if err := restore(state[8:end]); err != nil {
			return err
		}
		state = state[end:]
	}
	return nil
}
