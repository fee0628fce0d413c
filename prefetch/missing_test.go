package prefetch

import (
	"fmt"
	"math"
	"testing"
)

// TestShippedCurves: more evidence for a file is never less of a promise, and evidence for others never more of one.
func TestShippedCurves(t *testing.T) {
	for size, c := range Shipped().Warning.Sizes {
		for others := -4.0; others <= 4; others++ {
			last := math.Inf(-1)
			for z := -8.0; z <= 8; z += .25 {
				s := c.line(z, others)
				sum := 0.0
				for i, x := range Bends(z, others) {
					sum += c[i] * x
				}
				got := s[0]*z + s[1]
				near(t, fmt.Sprintf("size %d at %v beside %v", size, z, others), got, sum)
				if got <= last || s[0] <= 0 {
					t.Errorf("size %d: %v at %v beside %v, %v before", size, got, z, others, last)
				}
				last = got
				if up := c.line(z, min(others+1, 4)); others < 1 && up[0]*z+up[1] > got {
					t.Errorf("size %d: %v at %v beside %v, more beside more", size, got, z, others)
				}
			}
		}
	}
	if s := (Curve{}).line(1.5, 0); s[0]*1.5+s[1] != 1.5 {
		t.Errorf("without numbers: %v", s)
	}
}

// TestOthers: what speaks for one file counts for all others, within bounds. Only the files that are weighed count.
func TestOthers(t *testing.T) {
	near(t, "alone", Others([]float64{3})[0], -4)
	got := Others([]float64{0, 2, 50})
	near(t, "of the first", got[0], 4)
	near(t, "of the third", got[2], math.Log(math.Exp(-4)+1+math.Exp(2)))
	z := make([]float64, Weighed+2)
	for i := range z {
		z[i] = -3
	}
	z[Weighed] = 3
	got = Others(z)
	near(t, "of one that is weighed", got[0], math.Log(math.Exp(-4)+(Weighed-1)*math.Exp(-3)))
	near(t, "of one that is not", got[Weighed+1], math.Log(math.Exp(-4)+Weighed*math.Exp(-3)))
}
