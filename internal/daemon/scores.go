package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/session/live"
	"github.com/aoa-dev/aoa/learn"
)

// manyLoose records that were saved since the last full snapshot make the next one full: they lie over its blocks, one
// row each, and a start reads blocks faster.
const manyLoose = 20_000

// scores is the consumer that learns: it folds events into the sessions and the hot store, and with them the state of
// predictions. Its durable form is the snapshot in the log's file.
type scores struct {
	base
	db      *cold.DB
	hot     *hot.Store
	live    *live.Sessions // saved with the scores
	learner *learn.Learner
	clock   *clock
	metrics *metrics
	applied atomic.Int64

	between func(func() error) error // runs a function between two batches

	saving sync.Mutex  // held while a snapshot is taken
	void   atomic.Bool // the store holds what was forgotten: no snapshot of it is kept

	mu    sync.Mutex // guards what follows
	whole bool       // the next snapshot is a full one
	loose int        // records that were saved since the last full one
	saved time.Time  // when the last snapshot was written
	err   error      // why the last snapshot could not be written
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

// Flush writes a snapshot of what changed since the last one, and which batch it includes. One at a time: of two, the
// older one saved last would be taken for the newer.
func (s *scores) Flush(ctx context.Context) (durable int64, err error) {
	s.saving.Lock()
	defer s.saving.Unlock()
	before, err := s.db.SnapshotSeq(ctx)
	if err != nil || s.void.Load() || !s.clock.lasting() {
		return before, err
	}
	s.mu.Lock()
	whole := s.whole || s.loose >= manyLoose
	s.whole = false
	s.mu.Unlock()
	var at int64
	var records []cold.Record
	err = s.between(func() (err error) {
		at = s.Applied()
		records, err = s.changed(ctx, whole)
		return err
	})
	if err == nil && (len(records) > 0 || whole) {
		err = s.db.SaveSnapshot(ctx, at, records, whole)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err = err; err != nil {
		s.whole = true // the changes were taken from the store: the next snapshot takes everything
		return before, err
	}
	s.saved = s.now()
	if s.loose += len(records); whole {
		s.loose = 0
	}
	return at, nil
}

// changed are the records of scores and sessions that changed since the last call, or all of them.
func (s *scores) changed(ctx context.Context, all bool) ([]cold.Record, error) {
	sets, err := s.hot.Dirty(ctx, all)
	if err != nil {
		return nil, err
	}
	sessions, err := s.live.Changed(all)
	return slices.Concat(convert(sets, func(r hot.Record) cold.Record { return cold.Record(r) }),
		convert(sessions, func(r live.Record) cold.Record { return cold.Record(r) })), err
}

// takeAll makes the next snapshot a full one.
func (s *scores) takeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.whole = true
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
	seq, err := s.loadSnapshot(ctx)
	skipped := s.hot.Size().Skipped
	var applied int64 // by the records themselves
	if err == nil {
		applied, err = s.hot.Applied(ctx)
	}
	switch {
	case errors.Is(err, hot.ErrHalfLives):
		s.log.Info("half-lives have changed: the log is replayed")
	case errors.Is(err, live.ErrRecord), err == nil && (skipped > 0 || seq > 0 && applied == 0):
		s.alert.Warn("the snapshot was damaged: the log is replayed", "records", skipped)
	case err != nil:
		return fmt.Errorf("load snapshot: %w", err)
	default:
		s.applied.Store(min(seq, applied)) // a batch that is replayed twice is learned once
		return nil
	}
	s.whole = true
	s.applied.Store(0)
	s.hot, s.live = hot.New(s.now), live.New()
	return nil
}

// loadSnapshot restores the records. It reads on while the records before are restored.
func (s *scores) loadSnapshot(ctx context.Context) (seq int64, err error) {
	g, ctx := errgroup.WithContext(ctx)
	chunks := make(chan []cold.Record, 2)
	g.Go(func() error {
		defer close(chunks)
		var err error
		seq, err = s.db.LoadSnapshot(ctx, func(records []cold.Record) error {
			select {
			case chunks <- records:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		return err
	})
	g.Go(func() error {
		for records := range chunks {
			if err := s.restore(ctx, records); err != nil {
				return err
			}
		}
		return nil
	})
	err = g.Wait() // apart: seq is known once the reader has ended
	return seq, err
}

// restore gives records to whose they are.
func (s *scores) restore(ctx context.Context, records []cold.Record) error {
	var sets []hot.Record
	var sessions []live.Record
	for _, r := range records {
		if strings.HasPrefix(r.Key, live.Prefix) {
			sessions = append(sessions, live.Record(r))
		} else {
			sets = append(sets, hot.Record(r))
		}
	}
	return errors.Join(s.live.Restore(sessions), s.hot.Restore(ctx, sets))
}

// writerID is the name under which a server keeps how far it has applied this log. It is the log's own: a new log, or
// one that was moved elsewhere with its repository, must not be taken for another.
func writerID(ctx context.Context, db *cold.DB) (string, error) {
	id, err := db.Meta(ctx, "writer")
	if err != nil || id != "" {
		return id, err
	}
	id = rand.Text()
	return id, db.SetMeta(ctx, "writer", id)
}
