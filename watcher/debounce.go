package watcher

import (
	"math"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Limits of a burst that are not worth a setting.
const (
	// crowd is the number of files changed without a pause above which no person is at work: such a burst is
	// not cut after AtMost, so that a formatter's run stays in one piece.
	manyFiles = 20
	// crowdRest is the factor by which a crowd must be quiet for longer: a formatter pauses at a large file, and
	// nobody waits for what it wrote.
	manyFactor = 5
	// crowdMost is how long a crowd is waited for.
	manyAtMost = 30 * time.Second
	// busyMost bounds the pause between two saves of a file that never comes to rest (a log, a database).
	maxThrottle = 10 * time.Minute
)

// burst collects changed paths until they come to rest. It is pure: every time comes in as an argument.
//
// Two delays rule it. A burst is due when nothing happened for quiet, or when its oldest path has waited for
// atMost, whichever is first (a crowd of files gets more time); a path that was touched within quiet then stays for the next time. A path that
// had to be taken without ever being at rest is put on a leash: its later touches neither prolong the burst
// nor are given out before a pause that doubles every time.
type debouncer struct {
	quiet, atMost time.Duration

	pending     map[event.Path]span
	throttle    map[event.Path]*throttle
	first, last time.Time // over pending; zero when it is empty
}

type span struct{ first, last time.Time }

type throttle struct {
	until   time.Time
	rounds  int
	touched bool
}

func newDebouncer(quiet, atMost time.Duration) debouncer {
	return debouncer{quiet: quiet, atMost: atMost, pending: map[event.Path]span{}, throttle: map[event.Path]*throttle{}}
}

// touch records a change and reports whether the burst was empty before.
func (b *debouncer) touch(p event.Path, at time.Time) (begins bool) {
	if l := b.throttle[p]; l != nil {
		l.touched = true
		return false
	}
	begins = len(b.pending) == 0
	if begins {
		b.first = at
	}
	b.last = at
	s, ok := b.pending[p]
	if !ok {
		s.first = at
	}
	s.last = at
	b.pending[p] = s
	return begins
}

// drop forgets a pending path and reports whether there was one.
func (b *debouncer) drop(p event.Path) bool {
	_, ok := b.pending[p]
	delete(b.pending, p)
	return ok
}

// due says when take will give something; ok is false when nothing is pending.
func (b *debouncer) due() (at time.Time, ok bool) {
	if len(b.pending) > 0 {
		rest, patience := b.delays()
		at, ok = earlier(b.last.Add(rest), b.first.Add(patience)), true
	}
	for _, l := range b.throttle {
		if !ok || l.until.Before(at) {
			at, ok = l.until, true
		}
	}
	return at, ok
}

// delays are how long nothing must have happened and how long the oldest path may wait.
func (b *debouncer) delays() (rest, patience time.Duration) {
	if len(b.pending) > manyFiles {
		return manyFactor * b.quiet, manyAtMost
	}
	return b.quiet, b.atMost
}

// take gives out the paths that are due, in no order. Before due it gives nothing.
func (b *debouncer) take(at time.Time) []event.Path {
	out := b.takeThrottled(at)
	if len(b.pending) == 0 {
		return out
	}
	rest, patience := b.delays()
	if at.Before(b.last.Add(rest)) && at.Before(b.first.Add(patience)) {
		return out
	}
	b.first, b.last = time.Time{}, time.Time{}
	for p, s := range b.pending {
		switch {
		case !at.Before(s.last.Add(b.quiet)) || patience == manyAtMost:
		case !at.Before(s.first.Add(b.atMost)):
			b.throttle[p] = &throttle{until: at.Add(b.atMost)}
		default:
			b.keep(s)
			continue
		}
		out = append(out, p)
		delete(b.pending, p)
	}
	return out
}

func (b *debouncer) keep(s span) {
	if b.first.IsZero() || s.first.Before(b.first) {
		b.first = s.first
	}
	if s.last.After(b.last) {
		b.last = s.last
	}
}

// takeLeashed gives out the restless files whose pause is over; one that was not touched in it is free again.
func (b *debouncer) takeThrottled(at time.Time) []event.Path {
	var out []event.Path
	for p, l := range b.throttle {
		if at.Before(l.until) {
			continue
		}
		if !l.touched {
			delete(b.throttle, p)
			continue
		}
		out = append(out, p)
		l.rounds, l.touched = l.rounds+1, false
		pause := float64(b.atMost) * math.Exp2(float64(l.rounds))
		l.until = at.Add(time.Duration(math.Min(pause, float64(maxThrottle))))
	}
	return out
}

// all gives out everything that is pending, at rest or not.
func (b *debouncer) all() []event.Path {
	out := make([]event.Path, 0, len(b.pending))
	for p := range b.pending {
		out = append(out, p)
	}
	clear(b.pending)
	for p, l := range b.throttle {
		if l.touched {
			l.touched = false
			out = append(out, p)
		}
	}
	return out
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
