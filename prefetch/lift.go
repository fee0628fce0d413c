package prefetch

import (
	"fmt"
	"math"
)

// Evidence that a kind needs before it may retire: resolved files that were shown, and that were withheld.
const (
	retireShown    = 100
	retireWithheld = 30
)

// leastLift is what showing must be worth: one file in ten that would not have been used otherwise. What a kind is
// worth is judged by the upper end of its interval: the evidence must rule out that it is worth as much.
const leastLift = 0.10

// leastRight is the share of lists with a right file below which they keep silent. A list spares searches for files
// that would be opened anyway, so that lift says nothing about it.
const leastRight = 0.50

// fade is what each resolved prediction of a retired kind leaves of the evidence against it. When half of what
// retiring needs is left, after some 140 predictions, the kind gets another chance.
const fade = 0.995

// z95 is the 97.5 % quantile of the normal distribution.
const z95 = 1.959964

// Lift is what showing is worth: the share of shown files that were used, less the share of withheld ones that were
// used anyway, with its 95 % interval [Low, High]. Known is false without a resolved file on either side.
type Lift struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Known bool    `json:"known"`
}

// IsZero reports whether it is not known: then JSON has no such field.
func (l Lift) IsZero() bool { return !l.Known }

// Lift compares the shown with the withheld files of a kind by Newcombe's interval for the difference of two
// proportions (Statistics in Medicine 17, 1998, method 10): it is built from Wilson's intervals and holds for
// small numbers and shares near 0 and 1.
func (r Record) Lift() Lift { return lift(r.Shown, r.Withheld) }

func lift(shown, withheld Tally) Lift {
	if shown.Resolved <= 0 || withheld.Resolved <= 0 {
		return Lift{}
	}
	p1, l1, u1 := wilson(shown.Used, shown.Resolved)
	p2, l2, u2 := wilson(withheld.Used, withheld.Resolved)
	d := p1 - p2
	return Lift{Value: d, Known: true,
		Low:  math.Max(-1, d-math.Hypot(p1-l1, u2-p2)),
		High: math.Min(1, d+math.Hypot(u1-p1, p2-l2))}
}

// wilson is the share used/n and its 95 % score interval.
func wilson(used, n int64) (p, low, high float64) {
	p = float64(used) / float64(n)
	nn := float64(n)
	center := (p + z95*z95/(2*nn)) / (1 + z95*z95/nn)
	half := z95 / (1 + z95*z95/nn) * math.Sqrt(p*(1-p)/nn+z95*z95/(4*nn*nn))
	return p, math.Max(0, center-half), math.Min(1, center+half)
}

// verdict says whether a kind is to keep silent from now on, because the evidence rules out that showing it is worth
// leastLift. A retired kind stays so until its evidence has faded; what it would have
// said goes on being predicted in the shadow.
func (r Record) verdict() bool {
	if r.Retired {
		return r.Shown.Resolved >= retireShown/2
	}
	if traits[r.Kind].list {
		if r.Shown.Resolved < retireShown {
			return false
		}
		_, _, high := wilson(r.Shown.Used, r.Shown.Resolved)
		return high < leastRight
	}
	return r.Shown.Resolved >= retireShown && r.Withheld.Resolved >= retireWithheld && r.Lift().High < leastLift
}

// Why is the evidence in words: what a retired kind is retired for.
func (r Record) Why() string {
	if traits[r.Kind].list && r.Shown.Resolved > 0 {
		p, low, high := wilson(r.Shown.Used, r.Shown.Resolved)
		return fmt.Sprintf("of %d shown lists %.0f %% named a file that was opened (%.0f to %.0f %%)", r.Shown.Resolved, 100*p,
			100*low, 100*high)
	}
	l := r.Lift()
	if !l.Known {
		return "nothing resolved yet"
	}
	return fmt.Sprintf("of %d shown files %.0f %% were used, of %d withheld ones %.0f %% anyway: lift %+.2f (%+.2f to %+.2f)",
		r.Shown.Resolved, 100*float64(r.Shown.Used)/float64(r.Shown.Resolved),
		r.Withheld.Resolved, 100*float64(r.Withheld.Used)/float64(r.Withheld.Resolved), l.Value, l.Low, l.High)
}
