package daemon

import (
	"context"
	"log/slog"
	"math"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// longestSleep is how much further than this process's own time the wall clock may have moved: a machine that sleeps
// stops the one and not the other.
const longestSleep = cold.LongestGap

// longestBack is how far a clock is set back that only went a little wrong.
const longestBack = 24 * time.Hour

// clock knows whether the wall clock can be believed. What housekeeping drops is gone, so a clock that leapt must not
// be its measure: neither one that leapt while this daemon ran, nor one that the log's calendar doubts (see
// cold.Calendar).
type clock struct {
	now      func() time.Time
	log      *slog.Logger
	alert    *slog.Logger
	settings *settings
	started  time.Time // by the wall clock
	born     time.Time // the same moment, by the process's own clock

	leapt   atomic.Bool  // a warning about a leap was logged
	doubted atomic.Int64 // ns by which the clock leapt before this daemon began, 0 when it is believed
}

func newClock(b base) *clock {
	return &clock{now: b.now, log: b.log, alert: b.alert, settings: b.settings, started: b.now().Round(0), born: time.Now()}
}

// uptime is how long the daemon has run, by the process's own clock.
func (c *clock) uptime() time.Duration { return time.Since(c.born) }

// leap is how much further the wall clock has moved than this process's own time, negative if it was set back.
func (c *clock) leap() time.Duration {
	wall := c.now().Round(0).Sub(c.started) // without the monotonic part, which no wrong clock moves
	return wall - time.Since(c.born)
}

// sound reports whether housekeeping may believe the wall clock. Until it may, nothing is dropped that only the clock
// calls old.
func (c *clock) sound() bool {
	if leap := c.leap(); leap > longestSleep || leap < -longestBack {
		if !c.leapt.Swap(true) {
			c.alert.Warn("the clock leapt: nothing is dropped and no snapshot taken until it is back or the daemon is restarted",
				"by", leap.Round(time.Hour))
		}
		return false
	}
	c.leapt.Store(false)
	return c.doubted.Load() == 0
}

// unlessDoubted is a time after which something is dropped, or one that never passes while the clock cannot be believed.
func (c *clock) unlessDoubted(after time.Duration) time.Duration {
	if !c.sound() {
		return math.MaxInt64
	}
	return after
}

// lasting reports whether a snapshot may be taken: at a clock that is far ahead it would lack what decays fast. A clock
// that was set back, or is ahead by less than the fastest family needs to decay, does no harm.
func (c *clock) lasting() bool {
	fastest := 7 * 24 * time.Hour
	for _, half := range c.settings.get().HalfLives {
		fastest = min(fastest, half)
	}
	return c.leap() <= longestSleep && time.Duration(c.doubted.Load()) <= 20*fastest
}

// countDay brings the log's calendar up to the clock, unless the clock leapt under this daemon, and returns the last
// batch that is due for pruning. begun says that this daemon has logged nothing yet.
func (c *clock) countDay(ctx context.Context, db *cold.DB, begun bool) (due int64, err error) {
	if leap := c.leap(); leap > longestSleep || leap < -longestBack {
		return 0, nil
	}
	calendar, err := db.CountDay(ctx, c.now(), c.settings.get().Retention.Events, begun)
	if err != nil {
		return 0, err
	}
	leap := calendar.Doubted()
	if before := c.doubted.Swap(int64(leap)); before == 0 && leap != 0 {
		c.log.Info("the clock is doubted: nothing is dropped until it has moved on by a day", "leapt", leap.Round(time.Hour))
	}
	return calendar.Due, nil
}
