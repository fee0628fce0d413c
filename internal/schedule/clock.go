package schedule

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"sync/atomic"
	"time"
)

const (
	// longestSleep is how much further than this process's own time the wall clock may have moved, since a machine
	// that sleeps stops the one and not the other, and how long a repository may rest between two daemons.
	longestSleep = 30 * day
	// longestBack is how far a clock that was only a little wrong is set back.
	longestBack = day
	// lastingJump is twenty of the shortest half-lives (hot): a clock that is so far ahead leaves nothing of what
	// decays fast.
	lastingJump = 20 * 7 * day
)

// Clock knows whether the wall clock can be believed. What housekeeping drops is gone, so a clock that jumped must
// not decide it: neither one that jumped while this daemon ran, nor one that jumped since the last daemon (see
// Compare).
type Clock struct {
	now     func() time.Time
	log     *slog.Logger
	alert   *slog.Logger
	started time.Time // by the wall clock
	born    time.Time // the same moment, by the process's own clock

	warned  atomic.Bool  // a warning about a jump was logged
	doubted atomic.Int64 // ns by which the clock jumped before this daemon began, 0 when it is believed
}

// NewClock makes the clock of a process that begins now. alert is a log whose warnings people see.
func NewClock(now func() time.Time, log, alert *slog.Logger) *Clock {
	return &Clock{now: now, log: log, alert: alert, started: now().Round(0), born: time.Now()}
}

// Started is when the process began, by the wall clock.
func (c *Clock) Started() time.Time { return c.started }

// Ahead reports whether the wall clock is so far ahead of this process's own time that the machine did not just sleep.
func (c *Clock) Ahead() bool { return c.jump() > longestSleep }

// Uptime is how long the daemon has run, by the process's own clock.
func (c *Clock) Uptime() time.Duration { return time.Since(c.born) }

// jump is how much further the wall clock has moved than this process's own time, negative if it was set back.
func (c *Clock) jump() time.Duration {
	wall := c.now().Round(0).Sub(c.started) // without the monotonic part, which no wrong clock moves
	return wall - time.Since(c.born)
}

// Sound reports whether housekeeping may believe the wall clock. Until it may, nothing is dropped that only the clock
// calls old.
func (c *Clock) Sound() bool {
	if jump := c.jump(); jump > longestSleep || jump < -longestBack {
		if !c.warned.Swap(true) {
			c.alert.Warn("the clock jumped: nothing is dropped and no snapshot taken until it is back or the daemon is restarted",
				"by", jump.Round(time.Hour))
		}
		return false
	}
	c.warned.Store(false)
	return c.doubted.Load() == 0
}

// UnlessDoubted is a time after which something is dropped, or one that never passes while the clock cannot be
// believed.
func (c *Clock) UnlessDoubted(after time.Duration) time.Duration {
	if !c.Sound() {
		return math.MaxInt64
	}
	return after
}

// Lasting reports whether a snapshot may be taken: at a clock that is far ahead it would lack what decays fast. A
// clock that was set back, or is ahead by less than the fastest family needs to decay, does no harm.
func (c *Clock) Lasting() bool {
	return c.jump() <= longestSleep && time.Duration(c.doubted.Load()) <= lastingJump
}

// clockNote is what the log's file keeps of the clock.
type clockNote struct {
	Last int64 `json:"last"`           // unix ms: when the note was written, about once a day
	Jump int64 `json:"jump,omitempty"` // ms by which the clock had jumped then, as long as it is doubted
}

// metaClock is where the note is.
const metaClock = "clock"

// Compare holds the clock against the note of an earlier day. A clock that jumped since is doubted until it has moved
// on by a day: if it stays as it is, it was right.
func (c *Clock) Compare(ctx context.Context, notes Notes) error {
	if jump := c.jump(); jump > longestSleep || jump < -longestBack {
		return nil
	}
	v, err := notes.Meta(ctx, metaClock)
	if err != nil {
		return err
	}
	now, note := c.now().UnixMilli(), clockNote{}
	if json.Unmarshal([]byte(v), &note) != nil {
		note.Last = now - day.Milliseconds() // the first one
	}
	past := time.Duration(now-note.Last) * time.Millisecond
	switch {
	case past > longestSleep || past < -longestBack:
		note.Jump = past.Milliseconds()
		c.log.Info("the clock is doubted: nothing is dropped until it has moved on by a day", "jumped", past.Round(time.Hour))
	case past >= day:
		note.Jump = 0
	default:
		c.doubted.Store(note.Jump * int64(time.Millisecond))
		return nil
	}
	note.Last = now
	c.doubted.Store(note.Jump * int64(time.Millisecond))
	text, err := json.Marshal(note)
	if err != nil {
		return err
	}
	return notes.SetMeta(ctx, metaClock, string(text))
}
