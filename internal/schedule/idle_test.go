package schedule

import (
	"bytes"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestPassing: a process that was called once stays for ten minutes, one that was called again for
// its whole limit, and one without a limit for ever.
func TestPassing(t *testing.T) {
	for _, c := range []struct {
		calls int
		limit time.Duration
		want  time.Duration // 0: it stays
	}{{0, time.Hour, 10 * time.Minute}, {1, time.Hour, 10 * time.Minute}, {1, time.Minute, time.Minute}, {2, time.Hour, time.Hour}, {1, 0, 0}} {
		synctest.Test(t, func(t *testing.T) {
			var calls Calls
			begin, ended := time.Now(), time.Time{}
			calls.Begin(begin)
			for range c.calls {
				calls.Note(begin)
			}
			never := func() bool { return false }
			i := &Idle{Calls: &calls, Now: time.Now, Alert: slog.New(slog.DiscardHandler), Limit: func() time.Duration { return c.limit },
				Busy: never, Unwritten: never, Gone: never, Stop: func(bool) { ended = time.Now() }}
			go func() { _ = i.Run(t.Context()) }()
			time.Sleep(3 * time.Hour) // in a synctest bubble
			synctest.Wait()
			if c.want == 0 != ended.IsZero() || c.want > 0 && ended.Sub(begin).Round(idleAtMost) != c.want {
				t.Errorf("after %d calls, limit %v: it ended after %v", c.calls, c.limit, ended.Sub(begin))
			}
		})
	}
}

// TestIdle: without a call for the limit the process is stopped, but not while something long is
// under way or events wait that cannot be written, which is said once. What it serves may be gone
// at any time.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls Calls
		var log bytes.Buffer
		var limit atomic.Int64 // a time.Duration
		var busy, unwritten, gone atomic.Bool
		limit.Store(int64(time.Hour))
		ended := make(chan bool, 1)
		calls.Note(time.Now())
		calls.Note(time.Now())
		i := &Idle{Calls: &calls, Now: time.Now, Alert: slog.New(slog.NewTextHandler(&log, nil)),
			Limit: func() time.Duration { return time.Duration(limit.Load()) }, Busy: busy.Load,
			Unwritten: unwritten.Load, Gone: gone.Load,
			Stop: func(gone bool) { ended <- gone }}
		begin := func() { go func() { _ = i.Run(t.Context()) }() }
		after := func(d time.Duration, what string, want int) {
			t.Helper()
			time.Sleep(d) // in a synctest bubble
			synctest.Wait()
			fault.Same(t, what, len(ended), want)
		}
		begin()
		after(59*time.Minute, "before the limit", 0)
		calls.Note(time.Now())
		after(59*time.Minute, "a call begins the time again", 0)
		unwritten.Store(true)
		after(2*time.Hour, "events wait", 0)
		fault.Same(t, "warnings", strings.Count(log.String(), "events wait"), 1)
		unwritten.Store(false)
		busy.Store(true)
		after(time.Hour, "busy", 0)
		busy.Store(false)
		limit.Store(0)
		after(time.Hour, "no limit", 0)
		limit.Store(int64(time.Hour))
		after(idleAtMost, "idle", 1)
		fault.Same(t, "gone", <-ended, false)
		calls.Note(time.Now())
		begin()
		gone.Store(true)
		after(idleAtMost, "what it serves is gone", 1)
		fault.Same(t, "gone", <-ended, true)
	})
}
