package daemon

import (
	"context"
	"math"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// longestSleep is how much further than this process's own time the wall clock may have moved: a machine that sleeps
// stops the one and not the other.
const longestSleep = cold.LongestGap

// longestBack is how far a clock is set back that only went a little wrong.
const longestBack = 24 * time.Hour

// unlessDoubted is a time after which something is dropped, or one that never passes while the clock cannot be believed.
func (h *house) unlessDoubted(after time.Duration) time.Duration {
	if !h.sound() {
		return math.MaxInt64
	}
	return after
}

// countSchedule is how often the clock is compared with the log's calendar.
const countSchedule = "@hourly"

// sound reports whether housekeeping may believe the wall clock. What it drops is gone, so a clock that leapt must not be
// its measure: neither one that leapt while this daemon ran, nor one that the log's calendar doubts (see cold.Calendar).
// Until then nothing is dropped that only the clock says is old.
func (h *house) sound() bool {
	if leap := h.leap(); leap > longestSleep || leap < -longestBack {
		if !h.leapt.Swap(true) {
			h.loud.Warn("the clock leapt: nothing is dropped and no snapshot taken until it is back or the daemon is restarted", "by", leap.Round(time.Hour))
		}
		return false
	}
	h.leapt.Store(false)
	return h.doubted.Load() == 0
}

// lasting reports whether a snapshot may be taken: at a clock that is far ahead it would lack what fades fast. A clock
// that was set back, or is ahead by less than the fastest of the families needs to fade, does no harm.
func (h *house) lasting() bool {
	fastest := 7 * 24 * time.Hour
	for _, half := range h.config().HalfLives {
		fastest = min(fastest, half)
	}
	return h.leap() <= longestSleep && time.Duration(h.doubted.Load()) <= 20*fastest
}

// leap is how much further the wall clock has moved than this process's own time, negative if it was set back.
func (h *house) leap() time.Duration {
	wall := h.o.Now().Round(0).Sub(h.started) // without the monotonic part, which no wrong clock moves
	return wall - time.Since(h.born)
}

// countDay brings the log's calendar up to the clock, unless that one leapt under this daemon, and returns the batches
// that are due. begun says that this daemon has logged nothing yet.
func (h *house) countDay(ctx context.Context, begun bool) (due int64, err error) {
	if leap := h.leap(); leap > longestSleep || leap < -longestBack {
		return 0, nil
	}
	c, err := h.db.CountDay(ctx, h.o.Now(), h.config().Retention.Events, begun)
	if err != nil {
		return 0, err
	}
	leap := c.Doubted()
	if before := h.doubted.Swap(int64(leap)); before == 0 && leap != 0 {
		h.o.Log.Info("the clock is doubted: nothing is dropped until it has moved on by a day", "leapt", leap.Round(time.Hour))
	}
	return c.Due, nil
}
