package schedule

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Calls knows how many calls there were, and the time of the last one. It is safe for concurrent
// use.
type Calls struct{ count, unixMilli atomic.Int64 }

// Note notes a call.
func (c *Calls) Note(at time.Time) {
	c.count.Add(1)
	c.unixMilli.Store(at.UnixMilli())
}

// Begin notes when the process began, which is no call.
func (c *Calls) Begin(at time.Time) { c.unixMilli.Store(at.UnixMilli()) }

// last is the time of the last call.
func (c *Calls) last() time.Time { return time.UnixMilli(c.unixMilli.Load()) }

// Idle returns memory when nothing calls, and stops the process when nothing calls for long. All
// fields are needed.
type Idle struct {
	Calls     *Calls
	Now       func() time.Time
	Alert     *slog.Logger
	Limit     func() time.Duration // after which Stop is called; 0: never
	Busy      func() bool          // something long is under way
	Unwritten func() bool          // something waits that could not be written: the process goes on, with a warning
	Gone      func() bool          // what the process serves is gone: it stops at once
	Stop      func(gone bool)
}

// passing is how long a process stays that was called once at most: an agent that searches many
// repositories starts one in each.
const passing = 10 * time.Minute

// How often the idle time is checked, at most and at least.
const (
	idleAtMost  = 5 * time.Second
	idleAtLeast = 100 * time.Millisecond
)

// Memory is returned to the system when nothing has called for memoryAfter: by then the snapshot of
// the last minute is written. That is checked every memoryCheck.
const (
	memoryCheck = 5 * time.Second
	memoryAfter = time.Minute
)

// ReturnMemory returns to the system what a burst of work, an import or the start has left unused.
func (i *Idle) ReturnMemory(ctx context.Context) error {
	var before time.Time // the last call before memory was returned
	for Pause(ctx, memoryCheck) {
		last := i.Calls.last()
		if last.Equal(before) || i.Busy() || i.Now().Sub(last) < memoryAfter {
			continue
		}
		debug.FreeOSMemory()
		before = last
	}
	return nil
}

// Run stops the process when there was no call for the limit, or what it serves is gone.
func (i *Idle) Run(ctx context.Context) error {
	warned := false // a warning was logged that something waits
	for wait := idleAtLeast; Pause(ctx, wait); {
		if i.Gone() {
			i.Stop(true)
			return nil
		}
		wait = idleAtMost
		limit := i.Limit()
		if limit == 0 || i.Busy() {
			continue
		}
		if i.Calls.count.Load() <= 1 {
			limit = min(limit, passing)
		}
		left := limit - i.Now().Sub(i.Calls.last())
		switch {
		case left > 0:
		case i.Unwritten():
			if !warned {
				warned = true
				i.Alert.Warn("idle, but the daemon goes on: events wait that cannot be written")
			}
			continue
		default:
			i.Stop(false)
			return nil
		}
		wait = min(wait, max(left, idleAtLeast))
	}
	return nil
}

// Pause waits, and reports whether it waited to the end.
func Pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
