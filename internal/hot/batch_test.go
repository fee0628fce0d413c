package hot_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// TestBest: of any set the same members stay, in the same order, as when all of it is sorted.
func TestBest(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for round := range 500 {
		ms := make([]hot.Member, r.IntN(400))
		for i := range ms {
			ms[i] = hot.Member{fmt.Sprint("f", r.IntN(1000), "-", i), float64(r.IntN(1+round)) / 7}
		}
		n := r.IntN(60)
		want := slices.Clone(ms)
		hot.Highest(want)
		want = want[:min(n, len(want))]
		if got := hot.Best(slices.Clone(ms), n); !slices.Equal(got, want) {
			t.Fatalf("the %d best of %d:\n%v\nwant\n%v", n, len(ms), got, want)
		}
	}
}

// TestHighest: sums of the same numbers in another order are equal, then the name decides.
func TestHighest(t *testing.T) {
	sum := func(xs ...float64) (s float64) {
		for _, x := range xs {
			s += x
		}
		return s
	}
	less, more := sum(.7, .2, .1), sum(.1, .2, .7)
	if less >= more {
		t.Fatalf("%v and %v do not differ", less, more)
	}
	ms := []hot.Member{{"b", more}, {"a", less}, {"low", more - 1e-9}, {"high", more + 1e-9}}
	hot.Highest(ms)
	fault.Same(t, "in order", fmt.Sprint(ms[0].Name, ms[1].Name, ms[2].Name, ms[3].Name), "highablow")
}
