package log

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// applyQueue holds the batches that are durable and on their way to the consumers.
type applyQueue struct {
	apply func(ctx context.Context, seq int64, events []event.Event) // called in order, one at a time

	mu      sync.Mutex // guards what follows
	change  *sync.Cond
	waiting []loggedBatch
	newest  int64 // highest number put
	applied int64 // highest number applied
	closed  bool

	applying sync.Mutex // held while a batch is applied, or the consumers' states are read as one
}

// loggedBatch is a batch with the time when it became durable.
type loggedBatch struct {
	seq    int64
	events []event.Event
	at     time.Time
}

// errStopping says that the daemon ends before a batch is applied.
var errStopping = errors.New("the daemon is stopping")

// newApplyQueue makes a queue behind batch seq.
func newApplyQueue(apply func(context.Context, int64, []event.Event), seq int64) *applyQueue {
	q := &applyQueue{apply: apply, newest: seq, applied: seq}
	q.change = sync.NewCond(&q.mu)
	return q
}

// put queues a batch that is durable since that time.
func (q *applyQueue) put(seq int64, events []event.Event, at time.Time) {
	if len(events) == 0 {
		return
	}
	q.mu.Lock()
	q.waiting = append(q.waiting, loggedBatch{seq, events, at})
	q.newest = seq
	q.mu.Unlock()
	q.change.Broadcast()
}

// last is the number of the newest batch that was put.
func (q *applyQueue) last() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.newest
}

// since is when the oldest waiting batch became durable; zero if none waits.
func (q *applyQueue) since() time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return time.Time{}
	}
	return q.waiting[0].at
}

// wait returns when the batch with that number is applied. It returns errStopping if the queue ends before.
func (q *applyQueue) wait(ctx context.Context, seq int64) error {
	stop := context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.change.Broadcast()
	})
	defer stop()
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.applied < seq && ctx.Err() == nil && !q.closed {
		q.change.Wait()
	}
	switch {
	case q.applied >= seq:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return errStopping
}

// run applies batches until close was called and none waits.
func (q *applyQueue) run(ctx context.Context) {
	for {
		q.mu.Lock()
		for len(q.waiting) == 0 && !q.closed {
			q.change.Wait()
		}
		more := len(q.waiting) > 0
		q.mu.Unlock()
		if !more {
			return
		}
		q.applyFirst(ctx)
	}
}

func (q *applyQueue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.change.Broadcast()
}

// drain applies what was put after run ended.
func (q *applyQueue) drain(ctx context.Context) {
	for !q.since().IsZero() {
		q.applyFirst(ctx)
	}
}

// applyFirst applies the oldest waiting batch. One waits.
func (q *applyQueue) applyFirst(ctx context.Context) {
	q.mu.Lock()
	b := q.waiting[0]
	q.mu.Unlock()
	q.applying.Lock()
	q.apply(ctx, b.seq, b.events)
	q.mu.Lock()
	q.waiting = q.waiting[1:]
	q.applied = b.seq
	q.mu.Unlock()
	q.applying.Unlock()
	q.change.Broadcast()
}

// between runs fn between two batches: nothing is applied meanwhile.
func (q *applyQueue) between(fn func() error) error {
	q.applying.Lock()
	defer q.applying.Unlock()
	return fn()
}

// jump notes that the consumers contain batch seq, whatever was put. Nothing may wait.
func (q *applyQueue) jump(seq int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.applied, q.newest = seq, seq
}
