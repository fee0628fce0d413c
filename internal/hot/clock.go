package hot

import (
	"math"
	"time"
)

// Clock tells the present time, to detect times in the future. With nil every time is believed.
// Times are Unix seconds.
type Clock func() time.Time

// Believable limits a time in the future to a day from now. One event of a clock that was years
// ahead must not make everything after it too old to be learned.
func (c Clock) Believable(t float64) float64 {
	if c == nil {
		return t
	}
	return min(t, Seconds(c().Add(24*time.Hour)))
}

// Ahead reports whether a time comes from a clock that was ahead and has been set back: no correct
// time is this late.
func (c Clock) Ahead(t float64) bool { return t > c.latest() }

// latest returns the latest time that is not Ahead now.
func (c Clock) latest() float64 {
	if c == nil {
		return math.Inf(1)
	}
	return Seconds(c().Add(72 * time.Hour))
}

// Seconds returns a time in the form used in a store: Unix seconds with milliseconds as a fraction.
func Seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// Undated is the newest time of a store that has no dated event yet.
const Undated = -1 << 62
