package daemon

import (
	"context"
	"time"
)

// longestSleep is how much further than this process's own time the wall clock may have moved: a machine that sleeps
// stops the one and not the other.
const longestSleep = 30 * 24 * time.Hour

// settled is how long this process has run when a log that ended long ago means nothing any more.
const settled = 24 * time.Hour

// sound reports whether housekeeping may believe the wall clock. What it drops is gone, so a clock that leapt by years
// must not be its measure: neither one that leapt while this daemon ran, nor one that was wrong when it began, which
// shows in a log that ends longer ago than events are kept. Until then nothing is dropped and no snapshot taken: the log
// has it all.
func (h *house) sound() bool {
	if leap := h.leap(); leap > longestSleep {
		if !h.leapt.Swap(true) {
			h.loud.Warn("the clock leapt: nothing is dropped and no snapshot taken until it is back or the daemon is restarted", "by", leap.Round(time.Hour))
		}
		return false
	}
	h.leapt.Store(false)
	return !h.estranged || time.Since(h.born) > settled
}

// leap is how much further the wall clock has moved than this process's own time, negative if it was set back.
func (h *house) leap() time.Duration {
	wall := h.o.Now().Round(0).Sub(h.started) // without the monotonic part, which no wrong clock moves
	return wall - time.Since(h.born)
}

// recall compares the clock with the end of the log, before anything of this daemon's is in it.
func (h *house) recall(ctx context.Context) error {
	last, err := h.db.Newest(ctx)
	h.estranged = !last.IsZero() && h.started.Sub(last) > h.config().Retention.Events
	return err
}
