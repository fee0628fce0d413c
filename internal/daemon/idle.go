package daemon

import (
	"context"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/eventlog"
	"github.com/aoa-dev/aoa/internal/schedule"
)

// callClock knows when somebody called last.
type callClock struct{ unixMilli atomic.Int64 }

func (c *callClock) note(at time.Time) { c.unixMilli.Store(at.UnixMilli()) }

func (c *callClock) last() time.Time { return time.UnixMilli(c.unixMilli.Load()) }

// idleWatch returns memory when nothing calls, and ends the daemon when nothing calls for long.
type idleWatch struct {
	base
	calls     *callClock
	clock     *schedule.Clock
	events    *eventlog.Log
	importing func() bool // history or transcripts are being read
	replaced  func() bool // see Options.Replaced
	stop      context.CancelCauseFunc
}

// unwritten reports whether events wait that could not be written: then the daemon does not stop by itself.
func (i *idleWatch) unwritten() bool {
	waiting, _, err := i.events.Trouble()
	return err != nil && waiting > 0
}

// How often the idle time is checked, at most and at least.
const (
	idleAtMost  = 5 * time.Second
	idleAtLeast = 100 * time.Millisecond
)

// Memory is returned to the system when nothing has called for memoryAfter: by then the snapshot of the last minute is
// written. That is checked every memoryCheck.
const (
	memoryCheck = 5 * time.Second
	memoryAfter = time.Minute
)

// returnMemory returns to the system what a burst of work, an import or the start has left unused.
func (i *idleWatch) returnMemory(ctx context.Context) error {
	var before time.Time // the last call before memory was returned
	for pause(ctx, memoryCheck) {
		last := i.calls.last()
		if last.Equal(before) || i.importing() || i.now().Sub(last) < memoryAfter {
			continue
		}
		debug.FreeOSMemory()
		before = last
	}
	return nil
}

// run stops the daemon when nobody called for the configured time, or its store was replaced.
func (i *idleWatch) run(ctx context.Context) error {
	warned := false // a warning was logged that events wait
	for wait := idleAtLeast; pause(ctx, wait); {
		if i.replaced() {
			i.stop(errDeleted)
			return nil
		}
		wait = idleAtMost
		limit := i.settings.Get().IdleTimeout
		// after a leap of the clock the idle time is unknown
		if limit == 0 || i.importing() || i.clock.Leapt() {
			continue
		}
		left := limit - i.now().Sub(i.calls.last())
		switch {
		case left > 0:
		case i.unwritten():
			if !warned {
				warned = true
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

// pause waits, and reports whether it waited to the end.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
