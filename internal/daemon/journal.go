package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/aoa"
	"github.com/aoa-dev/aoa/internal/cold"
)

// Sizes of the journal. A batch is committed when it is old or large enough (design: 100 ms or 500 events).
const (
	batchAge   = 100 * time.Millisecond
	batchSize  = 500
	maxPending = 50_000 // events kept while the disk is full; more are dropped, newest first
)

// journal is the one door: events wait here for at most batchAge, become durable in cold, and are then learned
// in the same order. Cold and learn are decoupled, so that a long import never delays durability.
type journal struct {
	db    *cold.DB
	learn func(context.Context, []aoa.Event, int64) error         // called in order, from Run only
	cause func(context.Context, []aoa.Event) ([]aoa.Event, error) // marks accesses that a suggestion caused
	now   func() time.Time
	log   *slog.Logger

	mu      sync.Mutex // guards pending, since, failing
	pending []aoa.Event
	since   time.Time     // when the oldest pending event was added; zero if none
	failing bool          // the last append failed: one warning per outage
	wake    chan struct{} // pending has events; capacity 1
	full    chan struct{} // pending reached batchSize; capacity 1

	write sync.Mutex // held while a batch is appended: the order in cold is the order of steps

	steps struct {
		sync.Mutex // guards all of steps
		*sync.Cond
		queue  []step
		done   int64 // highest sequence learned
		lost   error // the first batch that could not be learned: no snapshot is taken any more
		last   int64 // highest sequence appended
		closed bool
	}
	learning sync.Mutex // held while a step is learned; a snapshot holds it to read one state
}

type step struct {
	seq    int64
	events []aoa.Event
	at     time.Time // when it became durable
}

func newJournal(db *cold.DB, now func() time.Time, log *slog.Logger) *journal {
	j := &journal{db: db, now: now, log: log, wake: make(chan struct{}, 1), full: make(chan struct{}, 1),
		cause: func(_ context.Context, e []aoa.Event) ([]aoa.Event, error) { return e, nil }}
	j.steps.Cond = sync.NewCond(&j.steps.Mutex)
	return j
}

// Add takes events that will be durable within batchAge. It never blocks on the disk.
func (j *journal) Add(events ...aoa.Event) {
	if len(events) == 0 {
		return
	}
	now := j.now()
	j.mu.Lock()
	for _, e := range events {
		if len(j.pending) < maxPending {
			j.pending = append(j.pending, e.Normalize(now))
		}
	}
	n := len(j.pending)
	if j.since.IsZero() {
		j.since = now
	}
	j.mu.Unlock()
	signal(j.wake)
	if n >= batchSize {
		signal(j.full)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Flush makes everything added so far durable. On error the events stay pending.
func (j *journal) Flush(ctx context.Context) error {
	j.write.Lock()
	defer j.write.Unlock()
	j.mu.Lock()
	batch, since := j.pending, j.since
	j.pending, j.since = nil, time.Time{}
	j.mu.Unlock()
	if len(batch) == 0 {
		return nil
	}
	seq, fresh, err := j.db.Append(ctx, j.marked(ctx, batch))
	if err != nil {
		j.mu.Lock()
		j.pending, j.since = append(batch, j.pending...), since
		first := !j.failing
		j.failing = true
		j.mu.Unlock()
		if first {
			j.log.Warn("events wait in memory: the store cannot be written", "pending", len(batch), "err", err)
		}
		return err
	}
	j.mu.Lock()
	j.failing = false
	j.mu.Unlock()
	j.enqueue(seq, fresh)
	return nil
}

// marked is the batch with causes. Without them it is logged all the same: they only make accesses count less.
func (j *journal) marked(ctx context.Context, events []aoa.Event) []aoa.Event {
	out, err := j.cause(ctx, events)
	if err != nil {
		j.log.Warn("causes not marked", "err", err)
	}
	return out
}

// Log appends a batch at once and returns when it is durable, with the number of events that were new.
func (j *journal) Log(ctx context.Context, events []aoa.Event) (fresh int, err error) {
	if err := j.Flush(ctx); err != nil {
		return 0, err
	}
	j.write.Lock()
	defer j.write.Unlock()
	now := j.now()
	for i := range events {
		events[i] = events[i].Normalize(now)
	}
	seq, kept, err := j.db.Append(ctx, j.marked(ctx, events))
	if err != nil {
		return 0, err
	}
	j.enqueue(seq, kept)
	return len(kept), nil
}

// Commits appends a batch of git history together with how far it was read, then waits until it is learned:
// an import must not pile up in memory.
func (j *journal) Commits(ctx context.Context, events []aoa.Event, cursor map[string]string) error {
	now := j.now()
	for i := range events {
		events[i] = events[i].Normalize(now)
	}
	j.write.Lock()
	seq, fresh, err := j.db.AppendCommits(ctx, events, cursor)
	if err == nil {
		j.enqueue(seq, fresh)
	}
	j.write.Unlock()
	if err != nil {
		return err
	}
	return j.Wait(ctx, seq)
}

func (j *journal) enqueue(seq int64, events []aoa.Event) {
	if len(events) == 0 {
		return
	}
	j.steps.Lock()
	j.steps.queue = append(j.steps.queue, step{seq, events, j.now()})
	j.steps.last = seq
	j.steps.Unlock()
	j.steps.Broadcast()
}

// Settle makes what was added durable and waits until it is learned, for at most the context's time: a question
// must see the event that came just before it.
func (j *journal) Settle(ctx context.Context) {
	if err := j.Flush(ctx); err != nil {
		return
	}
	j.steps.Lock()
	last := j.steps.last
	j.steps.Unlock()
	_ = j.Wait(ctx, last)
}

// Wait returns when the batch with that sequence number is learned.
func (j *journal) Wait(ctx context.Context, seq int64) error {
	stop := context.AfterFunc(ctx, func() {
		j.steps.Lock()
		defer j.steps.Unlock()
		j.steps.Broadcast()
	})
	defer stop()
	j.steps.Lock()
	defer j.steps.Unlock()
	for j.steps.done < seq && ctx.Err() == nil && !j.steps.closed {
		j.steps.Wait()
	}
	return ctx.Err()
}

// Run commits and learns until ctx ends, then drains: what was added before is durable and learned.
func (j *journal) Run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		j.steps.Lock()
		j.steps.closed = true
		j.steps.Unlock()
		j.steps.Broadcast()
	})
	defer stop()
	learned := make(chan error, 1)
	go func() { learned <- j.learnSteps(context.WithoutCancel(ctx)) }()
	for {
		select {
		case <-ctx.Done():
			err := j.Flush(context.WithoutCancel(ctx))
			return errors.Join(err, <-learned, j.learnRest(context.WithoutCancel(ctx)))
		case <-j.wake:
		}
		t := time.NewTimer(batchAge)
		select {
		case <-t.C:
		case <-j.full:
		case <-ctx.Done():
		}
		t.Stop()
		if err := j.Flush(ctx); err != nil && ctx.Err() == nil {
			j.retry(ctx)
		}
	}
}

// retry waits a second before the disk is tried again.
func (j *journal) retry(ctx context.Context) {
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	signal(j.wake)
}

func (j *journal) learnSteps(ctx context.Context) error {
	for {
		s, ok := j.next(true)
		if !ok {
			return nil
		}
		j.learnOne(ctx, s)
	}
}

// learnRest learns what the last flush brought after learnSteps had seen the end.
func (j *journal) learnRest(ctx context.Context) error {
	for {
		s, ok := j.next(false)
		if !ok {
			return nil
		}
		j.learnOne(ctx, s)
	}
}

func (j *journal) next(wait bool) (step, bool) {
	j.steps.Lock()
	defer j.steps.Unlock()
	for wait && len(j.steps.queue) == 0 && !j.steps.closed {
		j.steps.Wait()
	}
	if len(j.steps.queue) == 0 {
		return step{}, false
	}
	s := j.steps.queue[0]
	j.steps.queue = j.steps.queue[1:]
	return s, true
}

func (j *journal) learnOne(ctx context.Context, s step) {
	j.learning.Lock()
	err := j.learn(ctx, s.events, s.seq)
	j.learning.Unlock()
	if err != nil {
		// The batch is durable: it is learned again from cold at the next start.
		j.log.Error("batch not learned", "seq", s.seq, "events", len(s.events), "err", err)
	}
	j.steps.Lock()
	j.steps.done = s.seq
	if j.steps.lost == nil {
		j.steps.lost = err
	}
	j.steps.Unlock()
	j.steps.Broadcast()
}

// Learned runs fn while nothing is being learned, with the sequence number that hot stands at. It refuses once
// a batch was lost: a snapshot would hide it from the replay that repairs it.
func (j *journal) Learned(fn func(seq int64) error) error {
	j.learning.Lock()
	defer j.learning.Unlock()
	j.steps.Lock()
	seq, lost := j.steps.done, j.steps.lost
	j.steps.Unlock()
	if lost != nil {
		return fmt.Errorf("a batch was not learned, restart to repair: %w", lost)
	}
	return fn(seq)
}

// Alone runs fn with everything added so far durable and learned, and nothing else being written or learned
// meanwhile. fn returns the sequence number that it brought hot to.
func (j *journal) Alone(ctx context.Context, fn func() (seq int64, err error)) error {
	if err := j.Flush(ctx); err != nil {
		return err
	}
	j.write.Lock()
	defer j.write.Unlock()
	j.steps.Lock()
	last := j.steps.last
	j.steps.Unlock()
	if err := j.Wait(ctx, last); err != nil {
		return err
	}
	j.learning.Lock()
	defer j.learning.Unlock()
	seq, err := fn()
	if err == nil {
		j.Stand(seq)
	}
	return err
}

// Behind is the age of the oldest event that was accepted and is not learned yet.
func (j *journal) Behind() time.Duration {
	j.mu.Lock()
	oldest := j.since
	j.mu.Unlock()
	j.steps.Lock()
	if len(j.steps.queue) > 0 {
		oldest = j.steps.queue[0].at
	}
	j.steps.Unlock()
	if oldest.IsZero() {
		return 0
	}
	return j.now().Sub(oldest)
}

// Stand sets what hot stands at after a start: the snapshot and the replayed tail.
func (j *journal) Stand(seq int64) {
	j.steps.Lock()
	defer j.steps.Unlock()
	j.steps.done, j.steps.last = seq, seq
}
