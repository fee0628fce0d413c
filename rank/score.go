package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Logit returns Σ weight·value over all signals. They are added in a fixed order, so that equal
// input gives equal digits.
func (w Values) Logit(x Values) float64 {
	sum := 0.0
	for s := range x {
		sum += w[s] * x[s]
	}
	return sum
}

// any reports whether any signal from first to last has a weight.
func (w Values) any(first, last Signal) bool {
	for s := first; s <= last; s++ {
		if w[s] != 0 {
			return true
		}
	}
	return false
}

// Probability returns 1/(1+e^-(a·logit+b)), always in [0,1].
func (c Scale) Probability(logit float64) float64 {
	z := c[0]*logit + c[1]
	if math.IsNaN(z) {
		return 0
	}
	return unit(1 / (1 + math.Exp(-z)))
}

// reasons returns every signal that contributed to the logit, the strongest first. The bias is
// included, so that the products add up to the logit.
func reasons(w, x Values) []event.Reason {
	out := make([]event.Reason, 0, 8)
	for s := range x {
		if w[s]*x[s] != 0 {
			out = append(out, event.Reason{Signal: Signal(s).String(), Value: x[s], Weight: w[s]})
		}
	}
	slices.SortStableFunc(out, Stronger)
	return out
}

// Stronger compares two reasons by what they add to the logit or take from it, the stronger first.
func Stronger(a, b event.Reason) int {
	return cmp.Compare(math.Abs(b.Weight*b.Value), math.Abs(a.Weight*a.Value))
}

// strongest returns the first n reasons that raise the file's score. Reasons that are the same for
// every file (the bias, the number of current files) are left out, because they tell nothing about
// this one.
func strongest(rs []event.Reason, n int) []event.Reason {
	out := make([]event.Reason, 0, n)
	for _, r := range rs {
		if len(out) < n && r.Weight*r.Value > 0 && r.Signal != Bias.String() {
			out = append(out, r)
		}
	}
	return out
}
