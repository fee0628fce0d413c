package watcher

import (
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Limits of a debouncer.
const (
	// atMost is the longest time for which the changes of a file are collected.
	atMost = 2 * time.Second
	// If more than manyFiles files change without a pause, a tool is assumed to be at work. Its
	// changes are then not cut after atMost, so that the run of a formatter becomes one batch.
	manyFiles = 20
	// With more than manyFiles files, the pause must be this many times longer, because a formatter
	// pauses at a large file.
	manyFactor = 5
	// With more than manyFiles files, this replaces atMost.
	manyAtMost = 30 * time.Second
	// maxThrottle is the longest pause between two saves of a file that changes all the time, such
	// as a log or a database.
	maxThrottle = 10 * time.Minute
)

// debouncer collects changed paths until the changes pause. It has no clock; times are arguments.
//
// The paths become due when nothing has changed for quiet, or when the oldest has waited for atMost
// (longer if there are many files). A path that changed less than quiet before that waits for the
// next time. A path that was returned although it was still changing is throttled: its further
// changes do not delay the other paths, and it is returned again only after a pause, which doubles
// every time.
type debouncer struct {
	quiet time.Duration // how long nothing may have changed

	pending     map[event.Path]span
	throttled   map[event.Path]*throttle
	first, last time.Time // times of the pending changes; zero if none exist
}

type span struct{ first, last time.Time }

type throttle struct {
	until   time.Time
	pause   time.Duration // the length of the pause that ends then
	touched bool
}

// touch records a change. It reports whether nothing was pending before.
func (b *debouncer) touch(p event.Path, at time.Time) (begins bool) {
	if l := b.throttled[p]; l != nil {
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

// due returns the earliest time at which take returns something. ok is false if nothing is pending.
func (b *debouncer) due() (at time.Time, ok bool) {
	if len(b.pending) > 0 {
		quiet, most := b.delays()
		if at, ok = b.last.Add(quiet), true; b.first.Add(most).Before(at) {
			at = b.first.Add(most)
		}
	}
	for _, l := range b.throttled {
		if !ok || l.until.Before(at) {
			at, ok = l.until, true
		}
	}
	return at, ok
}

// delays returns for how long nothing may have changed, and how long the oldest path may wait.
func (b *debouncer) delays() (quiet, most time.Duration) {
	if len(b.pending) > manyFiles {
		return manyFactor * b.quiet, manyAtMost
	}
	return b.quiet, atMost
}

// oldest returns when the first of the waiting changes may have happened. For a throttled file that
// may be long ago.
func (b *debouncer) oldest(at time.Time) time.Time {
	for _, l := range b.throttled {
		if l.touched {
			return at.Add(-maxThrottle)
		}
	}
	return b.first
}

// take returns the paths that are due at a time, in no order.
func (b *debouncer) take(at time.Time) []event.Path {
	out := b.takeThrottled(at)
	if len(b.pending) == 0 {
		return out
	}
	quiet, most := b.delays()
	if at.Before(b.last.Add(quiet)) && at.Before(b.first.Add(most)) {
		return out
	}
	b.first, b.last = time.Time{}, time.Time{}
	for p, s := range b.pending {
		switch {
		case !at.Before(s.last.Add(b.quiet)) || most == manyAtMost:
		case !at.Before(s.first.Add(atMost)):
			b.throttled[p] = &throttle{until: at.Add(atMost), pause: atMost}
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

// takeThrottled returns the throttled files whose pause is over. A file that did not change during
// its pause is no longer throttled.
func (b *debouncer) takeThrottled(at time.Time) []event.Path {
	var out []event.Path
	for p, l := range b.throttled {
		if at.Before(l.until) {
			continue
		}
		if !l.touched {
			delete(b.throttled, p)
			continue
		}
		out = append(out, p)
		l.pause, l.touched = min(2*l.pause, maxThrottle), false
		l.until = at.Add(l.pause)
	}
	return out
}

// all returns all pending paths, due or not.
func (b *debouncer) all() []event.Path {
	out := slices.Collect(maps.Keys(b.pending))
	clear(b.pending)
	for p, l := range b.throttled {
		if l.touched {
			l.touched = false
			out = append(out, p)
		}
	}
	return out
}
