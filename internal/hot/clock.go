package hot

import (
	"math"
	"time"
)

// Clock detects times that lie in the future. Nil believes every time. Times are Unix seconds.
type Clock func() time.Time

// Believable cuts a time that no right clock has seen yet to a day from now: one event of a clock
// that ran years ahead must not make everything after it too old to be learned.
func (c Clock) Believable(t float64) float64 {
	if c == nil {
		return t
	}
	return min(t, Seconds(c().Add(24*time.Hour)))
}

// Ahead reports whether a time comes from a clock that ran ahead and is back: nothing that is right
// is so late.
func (c Clock) Ahead(t float64) bool { return t > c.latest() }

// latest returns the latest time that is not Ahead now.
func (c Clock) latest() float64 {
	if c == nil {
		return math.Inf(1)
	}
	return Seconds(c().Add(72 * time.Hour))
}

// Seconds is the form of all times in a store: Unix seconds with milliseconds as fraction.
func Seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// Undated is the newest time of a store that has no dated event yet.
const Undated = -1 << 62
