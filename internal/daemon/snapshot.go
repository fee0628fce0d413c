package daemon

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/hot"
)

// manyLoose records that were saved since the last full snapshot make the next one full: they lie over its blocks, one
// row each, and a start reads blocks faster.
const manyLoose = 20_000

// A start that replayed manyReplayed events writes a snapshot after soonAfter: the first answers are out by then, and
// whoever kills the daemon before the next one is due does not make the next start replay them again.
const (
	manyReplayed = 2000
	soonAfter    = time.Second
)

// snapshotSoon writes a snapshot after a long replay.
func (h *house) snapshotSoon(ctx context.Context) error {
	if h.tail < manyReplayed || !pause(ctx, soonAfter) {
		return nil
	}
	if err := h.snapshot(ctx); err != nil && ctx.Err() == nil {
		h.o.Log.Warn("snapshot not written", "err", err)
	}
	return nil
}

// snapshot writes what changed since the last one, and which batch it includes. One at a time: of two, the older
// one saved last would be taken for the newer.
func (h *house) snapshot(ctx context.Context) error {
	h.saving.Lock()
	defer h.saving.Unlock()
	if h.void.Load() || !h.lasting() || h.replaced() {
		return nil
	}
	var recs []hot.Record
	var at int64
	h.mu.Lock()
	whole := h.whole || h.loose >= manyLoose
	h.whole = false
	h.mu.Unlock()
	err := h.steps.Learned(func(seq int64) (err error) {
		at = seq
		recs, err = h.hot.Dirty(ctx, whole)
		return err
	})
	if err == nil && (len(recs) > 0 || whole) {
		packed := make([]cold.Record, len(recs))
		for i, r := range recs {
			packed[i] = cold.Record{Key: r.Key, Data: r.Data}
		}
		err = h.db.SaveSnapshot(ctx, at, packed, whole)
	}
	if perr := h.pace.save(paceFile(h.o.Place.Store)); perr != nil {
		h.o.Log.Warn("what hooks took is not kept", "err", perr)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.unsaved = err; err != nil {
		h.whole = true // it has consumed the dirty set: the next one takes everything
		return err
	}
	h.snapped = h.o.Now()
	if h.loose += len(recs); whole {
		h.loose = 0
	}
	return nil
}

// markEvery is how often at most the number of the last batch is written beside the log.
const markEvery = time.Second

// marker writes that number while batches are written: a start can then tell when the end of the log is missing.
func (h *house) marker(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil // closing the log writes the last one
		case <-h.journal.durable:
		}
		if err := h.db.Mark(); err != nil {
			h.o.Log.Debug("the mark of the log is not written", "err", err)
		}
		pause(ctx, markEvery)
	}
}
