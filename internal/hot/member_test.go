package hot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/codec"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestBest: of any set the same members stay, in the same order, as when all of it is sorted. Sums
// of the same numbers in another order are equal: then the name decides.
func TestBest(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for round := range 500 {
		ms := make([]Member, r.IntN(400))
		for i := range ms {
			ms[i] = Member{fmt.Sprint("f", r.IntN(1000), "-", i), float64(r.IntN(1+round)) / 7}
		}
		n := r.IntN(60)
		want := slices.Clone(ms)
		Highest(want)
		fault.Same(t, "the best", Best(slices.Clone(ms), n), want[:min(n, len(want))])
	}
	less := math.Float64frombits(math.Float64bits(1) - 200)
	ms := []Member{{"b", 1}, {"a", less}, {"low", 1 - 1e-9}, {"high", 1 + 1e-9}}
	Highest(ms)
	fault.Same(t, "in order", ms, []Member{{"high", 1 + 1e-9}, {"a", less}, {"b", 1}, {"low", 1 - 1e-9}})
}

// TestNewest: the newest stamps are bounded, follow a rename, and are the newest after many of them
// went.
func TestNewest(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s, largest := New(), 0
	for i := range 2000 {
		s.Stamp(Recency, fmt.Sprint("f", i), noon.Add(time.Duration(i*7919%2000)*time.Second))
		largest = max(largest, len(s.newest[Recency.index]))
	}
	fault.Same(t, "most that are kept", largest, 2*NewestKept)
	s.Sweep(noon)
	newest := func(n int) []string {
		return s.Top(Recency, "", n, noon).Members
	}
	first := newest(NewestKept + 9)
	fault.Same(t, "after a sweep", len(first), NewestKept)
	s.Stamp(Recency, first[200], noon.Add(time.Hour))
	fault.Same(t, "one that is stamped again", newest(NewestKept+9),
		slices.Concat(first[200:201], first[:200], first[201:]))
	s.Rename("f0", "other") // a new name
	s.Stamp(Recency, "f0", noon.Add(2*time.Hour))
	s.Rename("f0", "f1") // a known one
	fault.Same(t, "one with another name", newest(2), []string{"f1", first[200]})
}

// TestDamagedSets: a snapshot that can be decoded, and whose numbers make no sense, is refused.
func TestDamagedSets(t *testing.T) {
	s := New()
	for _, f := range []string{"a", "b", "c"} {
		s.Add(Comod, "hub", f, time.Unix(1e9, 0), 1)
		s.Add(Frequency, "", f, time.Unix(1e9, 0), 1)
	}
	data := fault.Must(s.Snapshot())
	score := func(g *savedSets, x float64) { binary.LittleEndian.PutUint64(g.Scores, math.Float64bits(x)) }
	number := func(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }
	for what, harm := range map[string]func(global, owned *savedSets){
		"":                             func(*savedSets, *savedSets) {},
		"a family before all":          func(g, _ *savedSets) { g.Family = -1 },
		"a family behind all":          func(g, _ *savedSets) { g.Family = len(Families) },
		"too large a set":              func(_, o *savedSets) { o.Sizes = number(4) },
		"members of no set":            func(_, o *savedSets) { o.Sizes = number(2) },
		"an empty set":                 func(_, o *savedSets) { o.Sizes, o.Members, o.Scores = number(0), nil, nil },
		"an owner without a name":      func(_, o *savedSets) { o.Owners = number(999) },
		"owners without sizes":         func(_, o *savedSets) { o.Owners = append(o.Owners, o.Owners...) },
		"owners of a global set":       func(g, o *savedSets) { g.Owners, g.Sizes = o.Owners, o.Sizes },
		"members without scores":       func(_, o *savedSets) { o.Scores = o.Scores[8:] },
		"a member without a name":      func(_, o *savedSets) { copy(o.Members[8:], number(999)) },
		"members out of order":         func(_, o *savedSets) { copy(o.Members[8:], o.Members[:4]) },
		"a score that is not a number": func(g, _ *savedSets) { score(g, math.NaN()) },
		"a score without end":          func(g, _ *savedSets) { score(g, math.Inf(1)) },
	} {
		var from saved
		fault.Check(t, codec.Decode(data, &from))
		fault.Same(t, "families", len(from.Sets), 2)
		harm(&from.Sets[0], &from.Sets[1])
		harmed := fault.Must(codec.Encode(from))
		if err := New().Restore(harmed); errors.Is(err, ErrSnapshot) != (what != "") || what == "" && err != nil {
			t.Errorf("%q: %v", what, err)
		}
	}
}
