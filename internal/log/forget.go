package log

import (
	"context"
	"fmt"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// Forget removes everything that f selects and that happened until f.Until (zero means now): from
// the log, from the blobs, from the bytes of their files, from the daily copy, and from the states.
// It returns when all of that is done. Once begun, it is completed even if the caller stops
// waiting. The error says whether something is left.
func (l *Log) Forget(ctx context.Context, f cold.ForgetFilter) (gone cold.Forgotten, err error) {
	if err := f.Check(); err != nil {
		return gone, err
	}
	return l.forget(ctx, func(ctx context.Context) (gone cold.Forgotten, err error) {
		if f.Until.IsZero() {
			f.Until = l.o.Now()
		}
		if l.o.Elsewhere != nil {
			err = l.o.Elsewhere(ctx, f)
		}
		var cached map[string]int
		if err == nil {
			cached, err = l.o.Blobs.Forget(ctx, f)
		}
		if err == nil {
			gone, err = l.o.DB.Forget(ctx, f)
		}
		gone.Cached = cached
		return gone, err
	})
}

// ForgetPeers is like Forget, for those events of other clones for which meant returns true.
func (l *Log) ForgetPeers(ctx context.Context, meant func(event.Event) bool) (events []event.Event, err error) {
	gone, err := l.forget(ctx, func(ctx context.Context) (cold.Forgotten, error) { return l.o.DB.ForgetPeers(ctx, meant) })
	return gone.Events, err
}

// forget lets Run delete something, and then make the states again from the remaining log.
func (l *Log) forget(ctx context.Context,
	from func(context.Context) (cold.Forgotten, error)) (gone cold.Forgotten, err error) {
	done := make(chan cold.Forgotten, 1)
	err = l.ask(ctx, func(ctx context.Context) error {
		l.note(func(s *Status) { s.Forgetting = true })
		defer l.note(func(s *Status) { s.Forgetting = false })
		gone, err := l.delete(ctx, from)
		done <- gone
		if err != nil {
			return fmt.Errorf("not forgotten: %w", err)
		}
		left := l.scrub(ctx)
		if _, err := l.o.DB.Copy(ctx); err != nil {
			l.o.Log.Warn("the log is not copied", "err", err) // the daily job tries it again
		}
		if gone.Any() {
			if err := l.again(ctx); err != nil {
				return fmt.Errorf("forgotten, but what is left is not learned again yet: %w", err)
			}
		}
		l.save(ctx)
		if left != nil {
			return fmt.Errorf("forgotten, but the bytes are still on the disk, aOa overwrites them when it can: %w", left)
		}
		return nil
	})
	select {
	case gone = <-done:
	default: // it has not begun, or it is still running
	}
	return gone, err
}

// again makes the states again from the log.
func (l *Log) again(ctx context.Context) error {
	l.note(func(s *Status) { s.Position = 0 })
	if err := l.drop(); err != nil {
		return err
	}
	if _, err := l.Replay(ctx); err != nil {
		return err
	}
	if l.o.After != nil {
		l.o.After()
	}
	return nil
}

// delete writes all pending events, deletes the snapshot and then calls from, which deletes events.
func (l *Log) delete(ctx context.Context,
	from func(context.Context) (cold.Forgotten, error)) (gone cold.Forgotten, err error) {
	if err := l.flush(ctx); err != nil {
		return gone, err
	}
	l.awaitSnapshot()
	l.note(func(s *Status) { s.Kept = 0 })
	if err := l.o.Kept.Drop(ctx); err != nil {
		return gone, err
	}
	return from(ctx)
}

// Scrub overwrites the bytes of forgotten data that could not be overwritten at the time.
func (l *Log) Scrub(ctx context.Context) error { return l.ask(ctx, l.scrub) }

func (l *Log) scrub(ctx context.Context) error {
	err := l.o.DB.Overwrite(ctx, l.o.Blobs)
	l.note(func(s *Status) { s.Unscrubbed = err })
	return err
}

// peerShare limits the events of other clones to 1/peerShare of the log's size.
const peerShare = 5

// Prune deletes the oldest events until the log takes at most the given number of bytes. It keeps
// the events that are not in a snapshot yet. It returns how many events of this clone and of others
// it deleted.
func (l *Log) Prune(ctx context.Context, most int64) error {
	return l.ask(ctx, func(ctx context.Context) error {
		l.awaitSnapshot()
		between := func() error { return l.flush(ctx) } // pruning a large log takes long
		peers, err := l.o.DB.PrunePeers(ctx, most/peerShare, l.Status().Kept, between)
		if err != nil {
			return err
		}
		gone, err := l.o.DB.Prune(ctx, most, l.Status().Kept, between)
		if err == nil && gone.Events+peers > 0 {
			l.o.Log.Info("log pruned", "events", gone.Events, "of_peers", peers, "bytes", gone.Bytes)
		}
		return err
	})
}
