package daemon

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Sizes of the journal. A batch is committed when it is old or large enough (design: 100 ms or 500 events).
const (
	batchAge   = 100 * time.Millisecond
	batchSize  = 500
	maxPending = 50_000      // events kept while the disk is full; more are dropped, newest first
	retryEvery = time.Second // between two attempts to write to a disk that refuses
)

// journal is the one door: events wait here for at most batchAge, become durable in cold, and are then learned
// in the same order. Cold and learn are decoupled, so that a long import never delays durability.
type journal struct {
	db    *cold.DB
	cause func(context.Context, []event.Event) ([]event.Event, error) // marks accesses that a suggestion caused
	now   func() time.Time
	log   *slog.Logger
	steps *steps

	mu      sync.Mutex // guards pending, writing, since, failing, dropped
	pending []event.Event
	writing int       // events of a batch that is being written, and is pending again when that fails
	since   time.Time // when the oldest pending event was added; zero if none
	failing error     // why the last append failed: one warning per outage
	dropped int       // events that exceeded maxPending
	wake    chan struct{}
	full    chan struct{} // pending reached batchSize
	durable chan struct{} // a batch was written; capacity 1

	write gate // held while a batch is appended: the order in cold is the order of steps
}

// gate is a lock that can be waited for with a deadline.
type gate chan struct{}

func (g gate) lock(ctx context.Context) error {
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g gate) unlock() { <-g }

func newJournal(db *cold.DB, steps *steps, now func() time.Time, log *slog.Logger) *journal {
	return &journal{db: db, steps: steps, now: now, log: log, wake: make(chan struct{}, 1), full: make(chan struct{}, 1), durable: make(chan struct{}, 1),
		write: make(gate, 1),
		cause: func(_ context.Context, e []event.Event) ([]event.Event, error) { return e, nil }}
}

// Add takes events that will be durable within batchAge. It never blocks on the disk.
func (j *journal) Add(events ...event.Event) {
	if len(events) == 0 {
		return
	}
	now := j.now()
	j.mu.Lock()
	for _, e := range events {
		if len(j.pending) >= maxPending {
			j.dropped++
			continue
		}
		j.pending = append(j.pending, e.Normalize(now))
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

// Flush makes everything added so far durable. On error the events stay pending. It waits for another batch that
// is being written as long as ctx lasts.
func (j *journal) Flush(ctx context.Context) error {
	if err := j.write.lock(ctx); err != nil {
		return err
	}
	defer j.write.unlock()
	return j.flush(ctx)
}

// flush is Flush with the gate held.
func (j *journal) flush(ctx context.Context) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	j.mu.Lock()
	batch, since := j.pending, j.since
	j.pending, j.writing, j.since = nil, len(batch), time.Time{}
	j.mu.Unlock()
	if len(batch) == 0 {
		return nil
	}
	written := false
	defer func() { // also when something below panics: the batch must not be lost
		j.mu.Lock()
		j.writing = 0
		if !written {
			j.pending, j.since = append(batch, j.pending...), since
		}
		j.mu.Unlock()
		if err != nil || written {
			j.outcome(err)
		}
	}()
	var seq int64
	var fresh []event.Event
	if seq, fresh, err = j.db.Append(ctx, j.marked(ctx, batch)); err != nil {
		return err
	}
	written = true
	j.steps.put(seq, fresh, j.now())
	return nil
}

// outcome notes whether the store could be written, and tells the log when that changes.
func (j *journal) outcome(err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return
	}
	j.mu.Lock()
	before, waiting, dropped := j.failing, len(j.pending), j.dropped
	j.failing = err
	if err == nil {
		j.dropped = 0
		signal(j.durable)
	}
	j.mu.Unlock()
	switch {
	case before == nil && err != nil:
		j.log.Warn("events wait in memory: the store cannot be written", "waiting", waiting, "err", err)
	case before != nil && err == nil:
		j.log.Warn("the store can be written again", "dropped", dropped)
	}
}

// Trouble says how many events wait because the store cannot be written, and why; nil when it can.
func (j *journal) Trouble() (waiting, dropped int, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.pending) + j.writing, j.dropped, j.failing
}

// marked is the batch with causes. Without them it is logged all the same: they only make accesses count less.
func (j *journal) marked(ctx context.Context, events []event.Event) []event.Event {
	// It takes no time, and a question that has none left is no reason to log them without.
	out, err := j.cause(context.WithoutCancel(ctx), events)
	if err != nil {
		j.log.Warn("causes not marked", "err", err)
	}
	return out
}

// Log appends a batch at once and returns when it is durable, with the number of events that were new.
func (j *journal) Log(ctx context.Context, events []event.Event) (fresh int, err error) {
	if err := j.write.lock(ctx); err != nil {
		return 0, err
	}
	defer j.write.unlock()
	if err := j.flush(ctx); err != nil {
		return 0, err
	}
	now := j.now()
	for i := range events {
		events[i] = events[i].Normalize(now)
	}
	seq, kept, err := j.db.Append(ctx, j.marked(ctx, events))
	j.outcome(err)
	if err != nil {
		return 0, err
	}
	j.steps.put(seq, kept, now)
	return len(kept), nil
}

// Commits appends a batch of git history together with how far it was read, then waits until it is learned:
// an import must not pile up in memory.
func (j *journal) Commits(ctx context.Context, events []event.Event, cursor map[string]string) error {
	now := j.now()
	for i := range events {
		events[i] = events[i].Normalize(now)
	}
	seq, err := j.commits(ctx, events, cursor, now)
	if err != nil {
		return err
	}
	return j.steps.Wait(ctx, seq)
}

// commits is Commits without the waiting.
func (j *journal) commits(ctx context.Context, events []event.Event, cursor map[string]string, now time.Time) (int64, error) {
	if err := j.write.lock(ctx); err != nil {
		return 0, err
	}
	defer j.write.unlock()
	seq, fresh, err := j.db.AppendCommits(ctx, events, cursor)
	j.outcome(err)
	if err == nil {
		j.steps.put(seq, fresh, now)
	}
	return seq, err
}

// Settle makes what was added durable and waits until it is learned, for at most the context's time: a question
// must see the event that came just before it. A large batch is written to its end beside the question.
func (j *journal) Settle(ctx context.Context) {
	if j.write.lock(ctx) != nil {
		return
	}
	flushed := make(chan error, 1)
	go func() {
		defer j.write.unlock()
		flushed <- j.flush(context.WithoutCancel(ctx))
	}()
	select {
	case err := <-flushed:
		if err == nil {
			_ = j.steps.Wait(ctx, j.steps.newest())
		}
	case <-ctx.Done():
	}
}

// Run commits and learns until ctx ends, then drains: what was added before is durable and learned.
func (j *journal) Run(ctx context.Context) error {
	whole := context.WithoutCancel(ctx)
	learned := make(chan struct{})
	go func() { defer close(learned); j.steps.run(whole) }()
	for {
		select {
		case <-ctx.Done():
			err := j.Flush(whole)
			j.steps.close()
			<-learned
			// What learning the last events brought about: outcomes of predictions.
			err = errors.Join(err, j.Flush(whole))
			j.steps.rest(whole)
			return err
		case <-j.wake:
		}
		t := time.NewTimer(batchAge)
		select {
		case <-t.C:
		case <-j.full:
		case <-ctx.Done():
		}
		t.Stop()
		if err := j.Flush(ctx); err != nil && pause(ctx, retryEvery) {
			signal(j.wake)
		}
	}
}

// left is what Run could not make durable, and why.
func (j *journal) left() ([]event.Event, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.pending, j.failing
}

// Alone runs fn with everything added so far durable and learned, and nothing else being written or learned
// meanwhile. fn returns the sequence number that it brought hot to.
func (j *journal) Alone(ctx context.Context, fn func() (seq int64, err error)) error {
	if err := j.write.lock(ctx); err != nil {
		return err
	}
	defer j.write.unlock()
	if err := j.flush(ctx); err != nil {
		return err
	}
	if err := j.steps.Wait(ctx, j.steps.newest()); err != nil {
		return err
	}
	j.steps.learning.Lock()
	defer j.steps.learning.Unlock()
	seq, err := fn()
	if err == nil {
		j.steps.Stand(seq)
	}
	return err
}

// Behind is the age of the oldest event that was accepted and is not learned yet.
func (j *journal) Behind() time.Duration {
	oldest := j.steps.oldest()
	if oldest.IsZero() {
		j.mu.Lock()
		oldest = j.since
		j.mu.Unlock()
	}
	if oldest.IsZero() {
		return 0
	}
	return j.now().Sub(oldest)
}

// Advance makes the next batch's number greater than seq.
func (j *journal) Advance(ctx context.Context, seq int64) (changed bool, err error) {
	if err := j.write.lock(ctx); err != nil {
		return false, err
	}
	defer j.write.unlock()
	return j.db.Advance(ctx, seq)
}
