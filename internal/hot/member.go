package hot

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Member is a name with its stored score.
type Member struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"`
}

// Limits of sets.
const (
	NewestKept = 256 // newest stamps of each family of stamps that are kept in order
	// pruneBelow is the value below which a member of an owned set is dropped, unless it is among
	// the highest, which are read.
	pruneBelow = 0.01
	leastWorth = 1e-6 // lower values read as 0, so dropping them changes nothing
)

// Highest sorts by score, equal ones by name. Adding the same increments in another order gives
// different last bits, which must not decide which member stays. So scores are compared to 42 bits
// (a relative 2e-13, finer than a millisecond of Unix time).
func Highest(ms []Member) {
	slices.SortFunc(ms, func(a, b Member) int {
		if x, y := coarse(a.Score), coarse(b.Score); x != y {
			return cmp.Compare(y, x)
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// Best returns the n highest in order. It reorders ms.
func Best(ms []Member, n int) []Member {
	Highest(ms)
	return ms[:min(n, len(ms))]
}

func coarse(x float64) float64 {
	const low = 1<<10 - 1
	return math.Float64frombits((math.Float64bits(x) + low/2 + 1) &^ low)
}

// Unread reports whether a value of the family reads as 0: a value below 1e-6, or below 0.01 in an
// owned family that is ByChange. The values of such a family do not shrink as time passes, and
// without this bound its sets would stay full.
func (f *Family) Unread(worth float64) bool {
	if f.ByChange && !f.Global() {
		return coarse(worth) < pruneBelow
	}
	return coarse(worth) < leastWorth
}
