package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
)

// warm opens hot, loads the snapshot into it, and returns the sequence number that it then stands at. A snapshot with
// damage in it, or one made under other half-lives, is
// left: the whole log is replayed instead.
func (h *house) warm(ctx context.Context) (seq int64, err error) {
	if err := h.openHot(); err != nil {
		return 0, err
	}
	seq, err = h.thaw(ctx)
	skipped := h.hot.Size().Skipped
	var applied int64 // by what the records themselves say
	if err == nil {
		applied, err = h.hot.Applied(ctx)
	}
	switch {
	case errors.Is(err, hot.ErrHalfLives):
		h.o.Log.Info("half-lives have changed: the log is replayed")
	case err == nil && (skipped > 0 || seq > 0 && applied == 0):
		h.loud.Warn("the snapshot was damaged: the log is replayed", "records", skipped)
	case err != nil:
		return 0, fmt.Errorf("load snapshot: %w", err)
	default:
		return min(seq, applied), nil // a batch that is replayed twice is learned once; one that is left out, never
	}
	h.whole = true
	return 0, h.openHot()
}

// thaw restores the snapshot, reading on while the records before are entered.
func (h *house) thaw(ctx context.Context) (seq int64, err error) {
	g, ctx := errgroup.WithContext(ctx)
	chunks := make(chan []cold.Record, 2)
	g.Go(func() error {
		defer close(chunks)
		var err error
		seq, err = h.db.LoadSnapshot(ctx, func(recs []cold.Record) error {
			select {
			case chunks <- recs:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		return err
	})
	g.Go(func() error {
		for recs := range chunks {
			packed := make([]hot.Record, len(recs))
			for i, r := range recs {
				packed[i] = hot.Record{Key: r.Key, Data: r.Data}
			}
			if err := h.hot.Restore(ctx, packed); err != nil {
				return err
			}
		}
		return nil
	})
	err = g.Wait() // apart: seq is known once the reader has ended
	return seq, err
}

func (h *house) openHot() (err error) {
	h.hot, err = hot.New(hot.Options{Now: h.o.Now, Half: h.config().HalfLives})
	return err
}

// writer is the name under which a shared server keeps how far it has applied this log. It is the log's own: one that is begun
// anew, or was moved elsewhere with its repository, must not be taken for another.
func (h *house) writer(ctx context.Context) (string, error) {
	id, err := h.db.Meta(ctx, "writer")
	if err != nil || id != "" {
		return id, err
	}
	id = rand.Text()
	return id, h.db.SetMeta(ctx, "writer", id)
}

// replay learns what the log has beyond seq.
func (h *house) replay(ctx context.Context, seq int64) error {
	begin := h.o.Now()
	var events int
	last := seq
	err := h.db.Replay(ctx, seq, func(seq int64, batch []event.Event) error {
		events += len(batch)
		last = seq
		return h.learner.Learn(ctx, batch, seq)
	})
	if err != nil {
		return fmt.Errorf("replay log: %w", err)
	}
	h.steps.Stand(last)
	h.tail = events
	h.o.Log.Info("restored", "snapshot", seq, "events", events, "seq", last, "took", h.o.Now().Sub(begin))
	return nil
}
