package schedule

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Calls counts calls and has the time of the last one. It is safe for concurrent use.
type Calls struct{ count, unixMilli atomic.Int64 }

// Note counts a call.
func (c *Calls) Note(at time.Time) {
	c.count.Add(1)
	c.unixMilli.Store(at.UnixMilli())
}

// Begin sets the time at which the idleness of a process that was never called begins.
func (c *Calls) Begin(at time.Time) { c.unixMilli.Store(at.UnixMilli()) }

// last returns the time of the last call.
func (c *Calls) last() time.Time { return time.UnixMilli(c.unixMilli.Load()) }

// ErrIdle is the reason why Idle stops a process that was not called for the limit.
var ErrIdle = errors.New("no client called for the idle time")

// Idle returns memory to the system when there are no calls, and stops the process after a longer
// time without calls. All fields are required.
type Idle struct {
	Calls *Calls
	Now   func() time.Time
	Alert *slog.Logger
	Limit func() time.Duration // time without a call after which Stop is called; 0: never
	Busy  func() bool          // reports whether some long work is in progress
	// reports whether data could not be written yet; then the process keeps running and logs a
	// warning
	Unwritten func() bool
	Gone      func() error // returns why nobody can be served any more, or nil
	Stop      func(why error)
}

// passing is how long a process keeps running if it had at most one call. An agent that searches
// many repositories starts a process in each.
const passing = 10 * time.Minute

// The longest and the shortest time between two checks of the idle time, and of Gone: until a daemon
// whose socket was deleted has noticed that, no other can take its place. A check takes 10 µs.
const (
	idleAtMost  = time.Second
	idleAtLeast = 100 * time.Millisecond
)

// Memory is returned to the system when there was no call for memoryAfter; by then the snapshot
// that follows the work has been written. This is checked every memoryCheck.
const (
	memoryCheck = 5 * time.Second
	memoryAfter = time.Minute
)

// ReturnMemory returns unused memory to the system after a burst of work, an import or the start.
func (i *Idle) ReturnMemory(ctx context.Context) error {
	var before time.Time // the time of the last call, as it was when memory was last returned
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

// Run stops the process after the limit without a call, or when Gone has a reason.
func (i *Idle) Run(ctx context.Context) error {
	warned := false // whether the warning about unwritten data was logged
	for wait := idleAtLeast; Pause(ctx, wait); {
		if why := i.Gone(); why != nil {
			i.Stop(why)
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
			i.Stop(ErrIdle)
			return nil
		}
		wait = min(wait, max(left, idleAtLeast))
	}
	return nil
}

// Pause waits for a time, and reports whether it did not end early because of ctx.
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
