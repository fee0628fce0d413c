package log

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/schedule"
)

// Sizes of batches. A batch is committed when it is old or large enough.
const (
	batchAge   = 100 * time.Millisecond
	batchSize  = 500
	maxPending = 50_000      // events kept while the disk is full; more are dropped, newest first
	retryEvery = time.Second // between two attempts to write to a disk that refuses
)

// Log is the one door for events. An event waits here for at most batchAge, becomes durable in cold.DB, and then
// reaches the consumers. Writing does not wait for applying, so a long import never delays durability.
type Log struct {
	db    *cold.DB
	now   func() time.Time
	log   *slog.Logger
	queue *applyQueue

	*consumers
	misdated atomic.Int64

	mu      sync.Mutex // guards pending, writing, since, failing, dropped
	pending []event.Event
	writing int       // events of a batch that is being written; they are pending again when that fails
	since   time.Time // when the oldest pending event was added; zero if none
	failing error     // why the last append failed: one warning per outage
	dropped int       // events that exceeded maxPending
	wake    chan struct{}
	full    chan struct{} // pending reached batchSize
	logged  func()        // called when one was written; must not wait

	// Whoever needs several of these locks takes them in this order; the last is that of the queue.
	saving sync.Mutex // held while states are saved, or something is forgotten: neither begins within the other
	append waitLock   // held while a batch is appended: the order in the log is the order of the queue

	void atomic.Bool // the states hold what was forgotten
}

// waitLock is a lock that can be waited for with a deadline.
type waitLock chan struct{}

func (l waitLock) lock(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l waitLock) unlock() { <-l }

// New opens a log of events behind what the consumers contain; Replay brings them to its end. alert is a log whose
// warnings people see.
func New(db *cold.DB, now func() time.Time, log, alert *slog.Logger, list ...Follower) *Log {
	c := newConsumers(log, alert, list...)
	return &Log{db: db, consumers: c, queue: newApplyQueue(c.apply, c.first()), now: now, log: log,
		wake: make(chan struct{}, 1), full: make(chan struct{}, 1), logged: func() {}, append: make(waitLock, 1)}
}

// Replay gives the consumers what the log has beyond the oldest state, and returns how many events that were.
func (l *Log) Replay(ctx context.Context) (events int, last int64, err error) {
	events, last, err = l.consumers.replay(ctx, l.db)
	if err == nil {
		l.queue.jump(last)
	}
	return events, last, err
}

// Last is the number of the newest batch.
func (l *Log) Last() int64 { return l.queue.last() }

// Between runs fn between two batches: nothing is applied meanwhile, so the states of all consumers are those of one
// position.
func (l *Log) Between(fn func() error) error { return l.queue.between(fn) }

// OnWritten has a function called after each batch is written, which must not wait. It is called before Run.
func (l *Log) OnWritten(fn func()) { l.logged = fn }

// Add takes events that become durable within batchAge. It never waits for the disk.
func (l *Log) Add(events ...event.Event) {
	if len(events) == 0 {
		return
	}
	now := l.now()
	l.mu.Lock()
	for _, e := range events {
		if len(l.pending) >= maxPending {
			l.dropped++
			continue
		}
		l.pending = append(l.pending, l.normalize(e, now))
	}
	n := len(l.pending)
	if l.since.IsZero() {
		l.since = now
	}
	l.mu.Unlock()
	signal(l.wake)
	if n >= batchSize {
		signal(l.full)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// normalize brings an event into the bounds of the log, and counts one whose times had to be moved.
func (l *Log) normalize(e event.Event, now time.Time) event.Event {
	if e.Misdated() {
		l.misdated.Add(1)
	}
	return e.Normalize(now)
}

// Misdated is the number of events since the start whose times were outside of the years 1970 to 9999.
func (l *Log) Misdated() int64 { return l.misdated.Load() }

// Flush makes everything added so far durable. On an error the events stay pending. It waits for another batch that is
// being written as long as ctx lasts.
func (l *Log) Flush(ctx context.Context) error {
	if err := l.append.lock(ctx); err != nil {
		return err
	}
	defer l.append.unlock()
	return l.flush(ctx)
}

// flush is Flush with the append lock held.
func (l *Log) flush(ctx context.Context) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	batch, since := l.pending, l.since
	l.pending, l.writing, l.since = nil, len(batch), time.Time{}
	l.mu.Unlock()
	if len(batch) == 0 {
		return nil
	}
	written := false
	defer func() { // also after a panic: the batch must not be lost
		l.mu.Lock()
		l.writing = 0
		if !written {
			l.pending, l.since = append(batch, l.pending...), since
		}
		l.mu.Unlock()
		if err != nil || written {
			l.report(err)
		}
	}()
	seq, fresh, err := l.db.Append(ctx, batch)
	if err != nil {
		return err
	}
	written = true
	l.queue.put(seq, fresh, l.now())
	return nil
}

// report notes whether the store can be written, and logs when that changes.
func (l *Log) report(err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return
	}
	l.mu.Lock()
	before, waiting, dropped := l.failing, len(l.pending), l.dropped
	l.failing = err
	if err == nil {
		l.dropped = 0
		l.logged()
	}
	l.mu.Unlock()
	switch {
	case before == nil && err != nil:
		l.log.Warn("events wait in memory: the store cannot be written", "waiting", waiting, "err", err)
	case before != nil && err == nil:
		l.log.Warn("the store can be written again", "dropped", dropped)
	}
}

// Trouble says how many events wait because the store cannot be written, and why; nil when it can.
func (l *Log) Trouble() (waiting, dropped int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.pending) + l.writing, l.dropped, l.failing
}

// Append logs a batch at once and returns when it is durable, with the number of events that were new.
func (l *Log) Append(ctx context.Context, events []event.Event) (fresh int, err error) {
	_, kept, err := l.write(ctx, events, nil)
	return len(kept), err
}

// AppendHistory logs a batch of git history together with how far it was read, or of events of other clones with a nil
// cursor. It returns when the batch is applied: an import must not pile up in memory.
func (l *Log) AppendHistory(ctx context.Context, events []event.Event, cursor map[string]string) error {
	seq, _, err := l.write(ctx, events, cursor)
	if err != nil {
		return err
	}
	return l.queue.wait(ctx, seq)
}

// write makes what waits durable, and then a batch.
func (l *Log) write(ctx context.Context, events []event.Event, cursor map[string]string) (seq int64,
	fresh []event.Event, err error) {
	if err := l.append.lock(ctx); err != nil {
		return 0, nil, err
	}
	defer l.append.unlock()
	if err := l.flush(ctx); err != nil {
		return 0, nil, err
	}
	now := l.now()
	for i := range events {
		events[i] = l.normalize(events[i], now)
	}
	seq, fresh, err = l.db.AppendCommits(ctx, events, cursor)
	l.report(err)
	if err == nil {
		l.queue.put(seq, fresh, now)
	}
	return seq, fresh, err
}

// Sync makes what was added durable and waits until it is applied, for at most the context's time: a question must see
// the event that came just before it. A large batch is written to its end beside the question.
func (l *Log) Sync(ctx context.Context) {
	if l.append.lock(ctx) != nil {
		return
	}
	flushed := make(chan error, 1)
	go func() {
		defer l.append.unlock()
		flushed <- l.flush(context.WithoutCancel(ctx))
	}()
	select {
	case err := <-flushed:
		if err == nil {
			_ = l.queue.wait(ctx, l.queue.last())
		}
	case <-ctx.Done():
	}
}

// syncTime is how long a question waits for the events that came just before it.
const syncTime = 20 * time.Millisecond

// SyncBriefly is Sync that does not cost a question its deadline.
func (l *Log) SyncBriefly(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, syncTime)
	defer cancel()
	l.Sync(ctx)
}

// Run writes and applies until ctx ends, and then what was added before.
func (l *Log) Run(ctx context.Context) error {
	whole := context.WithoutCancel(ctx)
	applied := make(chan struct{})
	go func() { defer close(applied); l.queue.run(whole) }()
	for {
		select {
		case <-ctx.Done():
			err := l.Flush(whole)
			l.queue.close()
			<-applied
			// Applying the last events may have added more: outcomes of predictions.
			err = errors.Join(err, l.Flush(whole))
			l.queue.drain(whole)
			return err
		case <-l.wake:
		}
		t := time.NewTimer(batchAge)
		select {
		case <-t.C:
		case <-l.full:
		case <-ctx.Done():
		}
		t.Stop()
		if err := l.Flush(ctx); err != nil && schedule.Pause(ctx, retryEvery) {
			signal(l.wake)
		}
	}
}

// Unwritten is what Run could not make durable, and why.
func (l *Log) Unwritten() ([]event.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pending, l.failing
}

// Save writes the states of the consumers to the disk, one at a time: of two, the older one saved last would be taken for
// the newer. States that hold what was forgotten are not written.
func (l *Log) Save(ctx context.Context) error {
	l.saving.Lock()
	defer l.saving.Unlock()
	if l.Void() {
		return nil
	}
	return l.consumers.save(ctx)
}

// Exclusive runs fn with everything added so far durable and applied, while nothing is written, applied or saved. If fn
// reports that something was forgotten, the states in memory are Void from then on.
func (l *Log) Exclusive(ctx context.Context, fn func() (forgot bool, err error)) error {
	l.saving.Lock()
	defer l.saving.Unlock()
	if err := l.append.lock(ctx); err != nil {
		return err
	}
	defer l.append.unlock()
	if err := l.flush(ctx); err != nil {
		return err
	}
	if err := l.queue.wait(ctx, l.queue.last()); err != nil {
		return err
	}
	return l.queue.between(func() error {
		forgot, err := fn()
		if forgot || err != nil {
			l.consumers.gone()
		}
		if forgot {
			l.void.Store(true)
		}
		return err
	})
}

// Void reports whether the states hold what was forgotten.
func (l *Log) Void() bool { return l.void.Load() }

// Behind is the age of the oldest event that was accepted and is not applied yet.
func (l *Log) Behind() time.Duration {
	oldest := l.queue.since()
	if oldest.IsZero() {
		l.mu.Lock()
		oldest = l.since
		l.mu.Unlock()
	}
	if oldest.IsZero() {
		return 0
	}
	return l.now().Sub(oldest)
}
