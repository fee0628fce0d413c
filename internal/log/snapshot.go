package log

import (
	"context"
	"errors"
	"fmt"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/hot"
)

// load reads the snapshot into the states.
func (l *Log) load(ctx context.Context) error {
	saved, seq, err := l.o.Kept.Load(ctx)
	if err != nil && !errors.Is(err, cold.ErrRow) {
		return fmt.Errorf("load snapshot: %w", err)
	}
	if err == nil && seq > 0 {
		err = l.restore(saved)
	}
	switch {
	case errors.Is(err, hot.ErrHalfLives):
		l.o.Log.Info("the log is replayed", "why", err)
	case errors.Is(err, cold.ErrRow): // the store has already warned
		l.o.Log.Info("the snapshot was damaged: the log is replayed", "err", err)
	case err != nil:
		l.o.Alert.Warn("the snapshot was damaged: the log is replayed", "err", err)
	default:
		l.note(func(s *Status) { s.Position, s.Kept = seq, seq })
	}
	return nil
}

// Save writes a snapshot of the states, unless the one on the disk is up to date.
func (l *Log) Save(ctx context.Context) error {
	underWay := make(chan (<-chan struct{}), 1)
	err := l.ask(ctx, func(ctx context.Context) error {
		l.save(ctx)
		underWay <- l.saving
		return nil
	})
	if err != nil {
		return err
	}
	written := <-underWay
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-written:
	}
	return l.Status().Unsaved
}

// save encodes the states and starts a goroutine that writes the snapshot. Only one snapshot is
// written at a time.
func (l *Log) save(ctx context.Context) {
	l.awaitSnapshot()
	l.saving = make(chan struct{})
	st := l.Status()
	position := st.Position
	if position == st.Kept || l.o.Gone != nil && l.o.Gone() {
		close(l.saving)
		return
	}
	state, err := l.snapshot()
	go func(done chan<- struct{}) {
		defer close(done)
		if err == nil {
			err = l.o.Kept.Save(ctx, position, state)
		}
		if err != nil {
			l.o.Log.Warn("snapshot not written", "err", err)
		}
		l.note(func(s *Status) {
			if s.Unsaved = err; err == nil {
				s.Kept, s.Saved = position, l.o.Now()
			}
		})
	}(l.saving)
}

// awaitSnapshot waits until the current snapshot is written.
func (l *Log) awaitSnapshot() {
	if l.saving != nil {
		<-l.saving
	}
}
