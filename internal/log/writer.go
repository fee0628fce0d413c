package log

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Run writes and applies events and executes requests until ctx ends. Then it writes the pending
// events and a last snapshot. It is the only goroutine that writes the log and changes the states.
func (l *Log) Run(ctx context.Context) error {
	defer close(l.ended)
	whole := context.WithoutCancel(ctx) // an operation that has begun is completed
	var due <-chan time.Time            // when the pending events are to be written; nil if none wait
	for {
		select {
		case <-ctx.Done():
			err := l.flush(whole)
			l.save(whole)
			l.awaitSnapshot()
			return err
		case do := <-l.requests:
			do()
		case <-l.wake:
			if due == nil {
				due = time.After(batchAge)
			}
		case <-l.full:
			if l.Status().Failing == nil {
				due = time.After(0)
			}
		case <-due:
			due = nil
			if l.flush(whole) != nil {
				due = time.After(retryEvery)
			}
		}
	}
}

// ask lets Run call do between two batches and returns the result of do. If the caller's ctx ends
// first, ask returns its error; once begun, do is completed all the same.
func (l *Log) ask(ctx context.Context, do func(context.Context) error) error {
	done := make(chan error, 1)
	select {
	case l.requests <- func() { done <- do(context.WithoutCancel(ctx)) }:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.ended:
		return ErrStopping
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// flush writes and applies the pending events. On an error they stay pending.
func (l *Log) flush(ctx context.Context) error {
	seq, fresh, err := l.write(ctx)
	l.applied(seq, fresh)
	return err
}

// write writes the pending events and returns those that are new. On an error they stay pending.
func (l *Log) write(ctx context.Context) (seq int64, fresh []event.Event, err error) {
	l.mu.Lock()
	batch := l.pending
	l.pending, l.writing, l.since, l.begun = nil, len(batch), time.Time{}, l.since
	l.mu.Unlock()
	if len(batch) == 0 {
		return 0, nil, nil
	}
	seq, fresh, err = l.o.DB.Append(ctx, batch)
	l.mu.Lock()
	if l.writing = 0; err != nil {
		l.pending, l.since, l.begun = append(batch, l.pending...), l.begun, time.Time{}
	}
	l.mu.Unlock()
	l.report(err)
	return seq, fresh, err
}

// append writes and applies the pending events, and then a batch.
func (l *Log) append(ctx context.Context, events []event.Event, cursor map[string]string) (fresh int, err error) {
	if err := l.flush(ctx); err != nil {
		return 0, err
	}
	now := l.o.Now()
	for i := range events {
		events[i] = events[i].Normalize(now)
	}
	seq, kept, err := l.o.DB.AppendCommits(ctx, events, cursor)
	l.report(err)
	if err == nil {
		l.applied(seq, kept)
	}
	return len(kept), err
}

// applied applies a batch that was written to the states.
func (l *Log) applied(seq int64, fresh []event.Event) {
	switch {
	case len(fresh) == 0:
	case l.gap:
		_, _ = l.Replay(context.Background()) // it is tried again with the next batch
	default:
		l.apply(seq, fresh)
	}
	l.mu.Lock()
	l.begun = time.Time{}
	l.mu.Unlock()
	if len(fresh) > 0 && l.o.After != nil {
		l.o.After()
	}
}

// report records whether the store can be written, and logs a change.
func (l *Log) report(err error) {
	l.mu.Lock()
	before, waiting := l.status, len(l.pending)
	l.status.Failing = err
	if err == nil {
		l.status.Dropped = 0
	}
	l.mu.Unlock()
	switch {
	case before.Failing == nil && err != nil:
		l.o.Log.Warn("events wait in memory: the store cannot be written", "waiting", waiting, "err", err)
	case before.Failing != nil && err == nil:
		l.o.Log.Warn("the store can be written again", "dropped", before.Dropped)
	}
}

// Replay applies the part of the log after the position of the states. Events that are added
// meanwhile are written, and applied when the reading reaches them. It returns how many events were
// applied. After an error the states are those of an earlier position. Open's caller calls it
// before Run; after that only Run does.
func (l *Log) Replay(ctx context.Context) (events int, err error) {
	for more := true; more && err == nil; { // each reading of the log sees it as it was when the reading began
		more = false
		err = l.o.DB.Replay(ctx, l.Status().Position, func(seq int64, batch []event.Event) error {
			events += len(batch)
			l.apply(seq, batch)
			if l.Status().Behind >= batchAge {
				_, fresh, _ := l.write(ctx) // events that cannot be written stay pending
				more = more || len(fresh) > 0
				l.applied(0, nil)
			}
			return ctx.Err()
		})
	}
	l.gap = err != nil
	return events, err
}
