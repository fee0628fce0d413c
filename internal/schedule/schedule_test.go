package schedule

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// notes are kept while daemons come and go.
type notes struct{ sync.Map }

func (n *notes) Meta(_ context.Context, name string) (string, error) {
	value, _ := n.Load(name)
	text, _ := value.(string)
	return text, nil
}

func (n *notes) SetMeta(_ context.Context, name, value string) error {
	n.Store(name, value)
	return nil
}

// bench is a schedule with notes of its own and a clock that can be moved.
type bench struct {
	*testing.T
	*Schedule
	late atomic.Int64 // nanoseconds; a job may read it while a test moves it
}

// advance moves the clock.
func (b *bench) advance(d time.Duration) { b.late.Add(int64(d)) }

func newBench(t *testing.T) *bench {
	b := &bench{T: t}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	b.Schedule = &Schedule{Now: func() time.Time { return time.Now().Add(time.Duration(b.late.Load())) }, Log: log, Notes: &notes{},
		Every: 5 * time.Minute, Often: func(context.Context) {}}
	return b
}

// daemon runs housekeeping for a time, with a fresh process's knowledge.
func (b *bench) daemon(lasts time.Duration, meanwhile func()) {
	b.Helper()
	ctx, end := context.WithTimeout(b.Context(), lasts)
	defer end()
	ended := make(chan error)
	go func() { ended <- b.Schedule.Run(ctx) }()
	if meanwhile != nil {
		meanwhile()
	}
	fault.Check(b.T, <-ended)
}

// counting makes a job that counts.
func counting(name string, every time.Duration, n *int) Job {
	return Job{Name: name, Every: every, Do: func(context.Context) error { *n++; return nil }}
}

// TestPanicInAJob: a job that panics ends neither the daemon nor the other jobs, and is done again.
func TestPanicInAJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		bad, good, snapshots := 0, 0, 0
		b.Often = func(context.Context) { snapshots++; panic("while writing") }
		b.Jobs = []Job{{Name: "bad", Every: time.Minute, Do: func(context.Context) error { bad++; panic("in the middle") }},
			counting("good", time.Minute, &good)}
		b.daemon(10*time.Minute+30*time.Second, nil)
		if good != 11 || bad != 11 || snapshots != 2 {
			t.Errorf("in ten minutes the good one ran %d times, the bad one %d, and %d snapshots were tried", good, bad,
				snapshots)
		}
	})
}

// TestDueJobs: a daily job is done once a day of use, whenever daemons run, and soon after the
// machine slept.
func TestDueJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		n := 0
		b.Jobs = []Job{counting("daily", day, &n)}
		step := func(what string, past, lasts time.Duration, want int, meanwhile func()) {
			t.Helper()
			b.advance(past)
			b.daemon(lasts, meanwhile)
			fault.Same(t, what, n, want)
		}
		minute := time.Minute
		step("the first start", 0, minute, 1, nil)
		for range 3 {
			step("soon after it", 4*time.Hour, minute, 1, nil)
		}
		step("the next day", 13*time.Hour, minute, 2, nil)
		step("a daemon that runs on", minute, 50*time.Hour, 4, nil)
		step("a machine that sleeps", minute, 10*minute, 5, func() { b.advance(20 * day) })
		step("a clock that was ahead", -10*day, minute, 6, nil)
	})
}

// TestJobThatFails: it is tried again after an hour; one that the daemon's end cut off, at the next
// start.
func TestJobThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		n := 0
		b.Jobs = []Job{{Name: "fails", Every: day, Do: func(context.Context) error { n++; return errors.New("no space") }}}
		b.daemon(150*time.Minute, nil)
		fault.Same(t, "tries", n, 3)
		cut := 0
		b.Jobs = []Job{{Name: "long", Every: day,
			Do: func(ctx context.Context) error { cut++; <-ctx.Done(); return ctx.Err() }}}
		b.daemon(time.Minute, nil)
		b.daemon(time.Minute, nil)
		fault.Same(t, "one that was cut off was begun", cut, 2)
		waits, urgent := 0, true
		b.Jobs = []Job{{Name: "urgent", Every: day, Do: func(context.Context) error { waits++; return nil },
			Urgent: func() bool { return urgent }}}
		b.daemon(90*time.Minute, nil)
		urgent = false
		b.daemon(3*time.Hour, nil)
		fault.Same(t, "one that was urgent for an hour and a half ran", waits, 2)
	})
}

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
				Busy: never, Unwritten: never, Gone: func() error { return nil }, Stop: func(error) { ended = time.Now() }}
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
		ended := make(chan error, 1)
		calls.Note(time.Now())
		calls.Note(time.Now())
		i := &Idle{Calls: &calls, Now: time.Now, Alert: slog.New(slog.NewTextHandler(&log, nil)),
			Limit: func() time.Duration { return time.Duration(limit.Load()) }, Busy: busy.Load,
			Unwritten: unwritten.Load, Stop: func(why error) { ended <- why },
			Gone: func() error {
				if gone.Load() {
					return io.EOF
				}
				return nil
			}}
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
		fault.Same(t, "why", (<-ended).Error(), ErrIdle.Error())
		calls.Note(time.Now())
		begin()
		gone.Store(true)
		after(time.Second, "what it serves is gone", 1)
		fault.Same(t, "why", (<-ended).Error(), io.EOF.Error())
	})
}

// TestSignal: one that is given twice wakes once.
func TestSignal(t *testing.T) {
	s := NewSignal()
	s.Give()
	s.Give()
	fault.Same(t, "given", len(s), 1)
}

// TestGate: who waits goes on when the gate opens, or when the time is over.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, begin := NewGate(), time.Now()
		fault.Same(t, "closed", []bool{g.IsOpen(), g.Wait(t.Context(), time.Second)}, []bool{false, false})
		time.AfterFunc(time.Minute, g.Open)
		fault.Same(t, "opened meanwhile", g.Wait(t.Context(), time.Hour), true)
		fault.Same(t, "waited", time.Since(begin), time.Second+time.Minute)
		g.Open()
		fault.Same(t, "open", g.IsOpen(), true)
	})
}
