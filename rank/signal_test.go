package rank

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestFormulas has numbers that were worked out by hand, so that a constant cannot change without
// being seen here.
func TestFormulas(t *testing.T) {
	now := epoch
	stamp := func(ago time.Duration) float64 { return float64(now.Add(-ago).UnixMilli()) / 1000 }
	several := func(p ...float64) float64 {
		var or noisyOr
		for _, p := range p {
			or.add(p)
		}
		return or.value()
	}
	many := slices.Repeat([]float64{1}, 50)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"recency of now", recency(stamp(0), now, time.Hour), 1},
		{"recency after a half-life", recency(stamp(time.Hour), now, time.Hour), .5},
		{"recency after two half-lives", recency(stamp(48*time.Hour), now, 24*time.Hour), .25},
		{"recency of the future", recency(stamp(-time.Hour), now, time.Hour), 1},
		{"recency of never", recency(0, now, time.Hour), 0},
		{"no commits", logShare(0), 0},
		{"one commit", logShare(1), 0.150190},
		{"a hundred commits", logShare(100), 1},
		{"more than a hundred", logShare(1000), 1},
		{"two changes of four, together", share(2, 4, comodSmooth), 0.478049},
		{"two sessions of four, together", share(2, 4, coaccessSmooth), 0.435556},
		{"two uses of four", share(2, 4, termSmooth), 0.392},
		{"more than all", share(9, 4, comodSmooth), .98},
		{"of nothing", share(0, 0, 0), 0},
		{"two halves", several(.5, .5), .75},
		{"none", several(), 0},
		{"support of one change", support(1), .5},
		{"support of three", support(3), .75},
		{"calls of one name", calls(1), .5},
		{"calls of three", calls(3), .75},
		{"opened nothing", opened(0), 0},
		{"opened six", opened(6), 0.486478},
		{"opened a million", opened(1_000_000), 1},
		{"no tags asked", tags(many, 0), 0},
		{"one of two tags", tags([]float64{1}, 2), .25},
		{"a tag that was used nine times", tags([]float64{9}, 1), .9},
		{"of fifty tags five count", tags(many, 3), 0.833333},
		{"of fifty asked three count", tags([]float64{1}, 50), 0.166667},
	} {
		near(t, c.what, c.got, c.want)
	}
}

// TestPlus: after a search that failed, the weights of both kinds are added.
func TestPlus(t *testing.T) {
	one := Model{Weights: Values{Comod: 1, Tags: 2}, UnseenWeights: Values{Comod: 3}}
	sum := one.plus(Model{Weights: Values{Comod: 10}, UnseenWeights: Values{Comod: 20, Text: 5}})
	fault.Same(t, "sum", sum, Model{Weights: Values{Comod: 11, Tags: 2}, UnseenWeights: Values{Comod: 23, Text: 5}})
	fault.Same(t, "one of both", one.Weights[Comod], 1.0)
}

func TestProximity(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"", "", 1}, {"a", "a", 1}, {"a/b", "a/b", 1}, {"a/b", "a/c", .5}, {"a", "a/b", .5}, {"", "a", 0},
		{"a/b/c", "a/b", 2. / 3}, {"x/b", "a/b", 0}, {"ab", "a", 0},
	} {
		if there, back := proximity(c.a, c.b), proximity(c.b, c.a); there != c.want || back != c.want {
			t.Errorf("%q and %q: %v, and %v the other way, want %v", c.a, c.b, there, back, c.want)
		}
	}
}

func TestProbabilityOfNonsense(t *testing.T) {
	for _, z := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308} {
		if p := (Scale{1, 0}).Probability(z); !(p >= 0 && p <= 1) {
			t.Errorf("probability of %v = %v", z, p)
		}
	}
}
