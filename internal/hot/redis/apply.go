package redis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// Apply gives the server a batch and its sequence; seq counts from 1 and grows. A batch that the server has is skipped,
// and one that was cut short is taken up where it stopped, so after an error the same batch may be given again. A batch
// of at most 64 KB without renames is one step; the steps of a larger one become visible one by one. Load comes before.
func (s *Store) Apply(ctx context.Context, b *hot.Batch, seq int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if seq > s.Sent() {
		err = s.send(ctx, b, seq)
	}
	if err != nil {
		return fmt.Errorf("apply batch %d: %w", seq, err)
	}
	s.learned = max(s.learned, seq)
	return nil
}

func (s *Store) send(ctx context.Context, b *hot.Batch, seq int64) error {
	r := b.Resolve()
	s.latest = max(s.latest, s.clock.Believable(max(r.Newest, s.Mirror().Scores.Latest())))
	w := &writer{store: s, seq: seq}
	if len(r.Moved) > 0 {
		if err := w.rename(ctx, r.Moved); err != nil {
			return fmt.Errorf("carry over renames: %w", err)
		}
	}
	past := func(c *hot.Change) bool { return c.Family.Past(c.Epoch, s.latest) } // no reader adds it any more
	for step, last := range steps(r.Changes, r.Edits, stepBytes, past) {
		if err := w.next(ctx, step, "", last); err != nil {
			return err
		}
	}
	// What a failure leaves undone here, a later tick does.
	for _, job := range []struct {
		what string
		at   time.Time
		plan func(*hot.Store, float64) []hot.Change
	}{{"trim", r.Trim, (*hot.Store).PlanTrim}, {"decay", r.Decay, (*hot.Store).PlanDecay}, {"sweep", r.Sweep, (*hot.Store).PlanSweep}} {
		if job.at.IsZero() {
			continue
		}
		if err := s.housekeep(ctx, func(m *hot.Store) []hot.Change { return job.plan(m, hot.Seconds(job.at)) }); err != nil {
			return fmt.Errorf("%s: %w", job.what, err)
		}
	}
	return nil
}

// writer numbers the steps of one batch.
type writer struct {
	store *Store
	seq   int64
	step  int // steps so far
}

// next applies the batch's next step, unless a former attempt got as far as this.
func (w *writer) next(ctx context.Context, step []byte, at string, last bool) error {
	s := w.store
	w.step++
	if w.step <= s.step && !last {
		return nil
	}
	c := call{step: step, before: mark(s.Sent(), s.step), after: mark(s.Sent(), w.step), at: at}
	if last {
		c.after = mark(w.seq, 0)
	}
	if err := s.apply(ctx, c); err != nil {
		return err
	}
	if s.step = w.step; last {
		s.applied.Store(w.seq)
		s.step = 0
	}
	return nil
}

// rename carries over what the server holds already. It is linear, so it may be done before the batch's increments,
// which have their new names. It is one step, however large: a second attempt, which finds another state, must not cut
// it elsewhere. Nobody else's step lies between the plan and the step.
func (w *writer) rename(ctx context.Context, moved map[string]string) error {
	for before := w.step; ; w.step = before {
		at, changes, err := w.store.plan(ctx, func(m *hot.Store) []hot.Change { return m.PlanRename(moved) })
		if err != nil {
			return err
		}
		for step := range steps(changes, nil, math.MaxInt, all) {
			err = w.next(ctx, step, at, false)
		}
		if !errors.Is(err, errBehind) {
			return err
		}
	}
}

func all(*hot.Change) bool { return false }

// plan asks the mirror, with all of the stream in it, what is to be changed.
func (s *Store) plan(ctx context.Context, plan func(*hot.Store) []hot.Change) (at string, changes []hot.Change, err error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if err := s.sync(ctx); err != nil {
		return "", nil, err
	}
	return s.mirror.last, plan(s.mirror.Scores), nil
}

// housekeep applies what may be repeated. Members stay that another daemon has added to since the plan was made.
func (s *Store) housekeep(ctx context.Context, plan func(*hot.Store) []hot.Change) error {
	_, changes, err := s.plan(ctx, plan)
	if err != nil || len(changes) == 0 {
		return err
	}
	for step := range steps(changes, nil, stepBytes, all) {
		if err := s.apply(ctx, call{step: step}); err != nil {
			return err
		}
	}
	return nil
}

// Forget removes files from every set, and what reads as 0 at that time, because it was subtracted. Then it cuts the
// stream, in which their names are, so every mirror is loaded again.
func (s *Store) Forget(ctx context.Context, at time.Time, files ...event.Path) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.housekeep(ctx, func(m *hot.Store) []hot.Change {
		return append(append(m.PlanForget(files), m.PlanDecay(hot.Seconds(at))...), m.PlanSweep(hot.Seconds(at))...)
	})
	if err == nil {
		err = s.apply(ctx, call{cut: true})
	}
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	return nil
}
