package daemon

import (
	"context"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// callClock knows when somebody called last.
type callClock struct{ unixMilli atomic.Int64 }

func (c *callClock) note(at time.Time) { c.unixMilli.Store(at.UnixMilli()) }

func (c *callClock) last() time.Time { return time.UnixMilli(c.unixMilli.Load()) }

// idleWatch gives memory back when nobody calls, and ends the daemon when nobody calls for long.
type idleWatch struct {
	base
	calls     *callClock
	clock     *clock
	events    *eventLog
	importing func() bool // history or transcripts are being read
	replaced  func() bool // see Options.replaced
	stop      context.CancelCauseFunc
}

// owed reports whether events wait that could not be written: then the daemon does not stop by itself.
func (i *idleWatch) owed() bool {
	waiting, _, err := i.events.Trouble()
	return err != nil && waiting > 0
}

// How often the idle time is checked, at most and at least.
const (
	idleAtMost  = 5 * time.Second
	idleAtLeast = 100 * time.Millisecond
)

// Memory is given back to the system when nobody has called for restAfter, and the pages of the program when nobody has
// for sleepAfter: the next hook takes 0.6 ms more for those, which would be too much between two calls of an agent.
// That is checked every restCheck.
const (
	restCheck  = 5 * time.Second
	restAfter  = 4 * time.Second
	sleepAfter = time.Minute
)

// rest gives back to the system what a burst of work, an import or the start has left unused.
func (i *idleWatch) rest(ctx context.Context) error {
	var rested, asleep time.Time // the last call before memory, and before the program was given back
	for pause(ctx, restCheck) {
		last := i.calls.last()
		quiet := i.now().Sub(last)
		sleep := quiet >= sleepAfter && !last.Equal(asleep)
		if i.importing() || quiet < restAfter || last.Equal(rested) && !sleep {
			continue
		}
		debug.FreeOSMemory() // a second time when it falls asleep: the snapshot of the last minute is written by then
		rested = last
		if sleep {
			releaseProgram()
			asleep = last
		}
	}
	return nil
}

// run stops the daemon when nobody called for the configured time, or its store was replaced.
func (i *idleWatch) run(ctx context.Context) error {
	owed := false // a warning was logged that events wait
	for wait := idleAtLeast; pause(ctx, wait); {
		if i.replaced() {
			i.stop(errDeleted)
			return nil
		}
		wait = idleAtMost
		limit := i.settings.get().IdleTimeout
		if limit == 0 || i.importing() || i.clock.leap() > longestSleep { // after a leap of the clock the idle time is unknown
			continue
		}
		left := limit - i.now().Sub(i.calls.last())
		switch {
		case left > 0:
		case i.owed():
			if !owed {
				owed = true
				i.alert.Warn("idle, but the daemon goes on: events wait that cannot be written")
			}
			continue
		default:
			i.stop(errIdle)
			return nil
		}
		wait = min(wait, max(left, idleAtLeast))
	}
	return nil
}
