package log

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Run writes and applies events and does what it is asked for, until ctx ends; and then what was
// added before, and a last snapshot. It is the only goroutine that writes the log and changes the
// states.
func (l *Log) Run(ctx context.Context) error {
	defer close(l.ended)
	whole := context.WithoutCancel(ctx) // what is begun is done
	var due <-chan time.Time            // when what waits is written; nil: nothing waits
	for {
		select {
		case <-ctx.Done():
			err := l.flush(whole)
			l.save(whole)
			l.settle()
			return err
		case do := <-l.requests:
			do()
		case <-l.wake:
			if due == nil {
				due = time.After(batchAge)
			}
		case <-l.full:
			if _, _, err := l.Trouble(); err == nil {
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

// ask has Run do something between two batches. It returns what that returns, or why it was not
// waited for: what was begun is done all the same.
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

// flush writes and applies what waits. On an error it waits again.
func (l *Log) flush(ctx context.Context) error {
	seq, fresh, err := l.write(ctx)
	l.applied(seq, fresh)
	return err
}

// write writes what waits, and returns what of it is new. What cannot be written waits again.
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

// append writes and applies what waits, and then a batch.
func (l *Log) append(ctx context.Context, events []event.Event, cursor map[string]string) (fresh int, err error) {
	if err := l.flush(ctx); err != nil {
		return 0, err
	}
	now := l.o.Now()
	l.mu.Lock()
	for i := range events {
		events[i] = l.normalize(events[i], now)
	}
	l.mu.Unlock()
	seq, kept, err := l.o.DB.AppendCommits(ctx, events, cursor)
	l.report(err)
	if err == nil {
		l.applied(seq, kept)
	}
	return len(kept), err
}

// applied applies a batch that was written.
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

// report notes whether the store can be written, and logs when that changes.
func (l *Log) report(err error) {
	l.mu.Lock()
	before, waiting, dropped := l.failing, len(l.pending), l.dropped
	l.failing = err
	if err == nil {
		l.dropped = 0
	}
	l.mu.Unlock()
	switch {
	case before == nil && err != nil:
		l.o.Log.Warn("events wait in memory: the store cannot be written", "waiting", waiting, "err", err)
	case before != nil && err == nil:
		l.o.Log.Warn("the store can be written again", "dropped", dropped)
	}
}

// Replay gives the states what the log has beyond their position, and meanwhile keeps what is added
// durable: it is read when the log comes to it. It returns how many events that were. After an
// error the states are those of an earlier position. It is called before Run; later, Run does it.
func (l *Log) Replay(ctx context.Context) (events int, err error) {
	for more := true; more && err == nil; { // the log is read as it was when the reading began
		more = false
		err = l.o.DB.Replay(ctx, l.Position(), func(seq int64, batch []event.Event) error {
			events += len(batch)
			l.apply(seq, batch)
			if l.Behind() >= batchAge {
				_, fresh, _ := l.write(ctx) // what cannot be written waits
				more = more || len(fresh) > 0
				l.applied(0, nil)
			}
			return ctx.Err()
		})
	}
	l.gap = err != nil
	return events, err
}
