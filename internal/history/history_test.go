package history

import (
	"fmt"
	"math"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// log makes commits, each a list of files between spaces.
type commits []event.Path

func made(sets ...commits) *Commits {
	c := &Commits{}
	for _, s := range sets {
		c.Add("", s, nil)
	}
	return c
}

func (c *Commits) times(n int, set ...event.Path) *Commits {
	for range n {
		c.Add("", set, nil)
	}
	return c
}

func everything(event.Path) bool { return true }

// of is the probability that a file belongs to a change.
func (c *Commits) p(t *testing.T, f event.Path, change ...event.Path) float64 {
	t.Helper()
	for _, x := range c.Companions(nil, Shipped(), change, nil, nil, everything, 100) {
		if x.File == f {
			return probability(x.LogOdds)
		}
	}
	return 0
}

// TestCount: the same pair has the same counts wherever it is asked about, under the present names.
func TestCount(t *testing.T) {
	c := made(commits{"old.go", "doc.md"}, commits{"old.go"})
	c.Rename("old.go", "new.go")
	c.times(60, "new.go").times(4, "new.go", "doc.md", "doc.md")
	want := event.Together{With: "new.go", Both: 5, Of: 66, Recent: 4, OfRecent: 50}
	if got := c.Count("new.go", "doc.md"); got != want || got.String() != "5 of 66 commits, 4 of the last 50" {
		t.Errorf("%+v, %s", got, got)
	}
	if got := c.Count("old.go", "doc.md"); got.Of != 0 {
		t.Errorf("a name that is gone: %+v", got)
	}
	if got := c.Count("doc.md", "new.go"); got.Both != 5 || got.Of != 5 || got.String() != "5 of 5 commits" {
		t.Errorf("%+v", got)
	}
	c.Rename("x.go", "new.go") // another file takes the name
	if got := c.Count("new.go", "doc.md"); got.Of != 0 {
		t.Errorf("%+v", got)
	}
}

// TestSupport: a commit of few files supports a pair more than one of many.
func TestSupport(t *testing.T) {
	c := &Commits{}
	c.Add("", []event.Path{"a", "b", "c", "d", "e"}, nil)
	c.Add("", []event.Path{"a", "b"}, nil)
	c.Add("", []event.Path{"a"}, nil)
	for f, want := range map[event.Path]float64{"b": 1.25, "c": .25, "a": 2.25, "none": 0} {
		if got := c.Support("a", f); got != want {
			t.Errorf("%s: %v", f, got)
		}
	}
	if got := c.Support("none", "a"); got != 0 {
		t.Errorf("of a file without commits: %v", got)
	}
}

// TestCounts: what goes through the repository for a tool, and what changes too many files, counts
// for no pair.
func TestCounts(t *testing.T) {
	var many []event.Path
	for i := range MaxFiles + 1 {
		many = append(many, event.Path(fmt.Sprintf("f%d.go", i)))
	}
	for _, x := range []struct {
		c    event.Commit
		want bool
	}{{event.Commit{Paths: many}, false}, {event.Commit{Paths: many[:MaxFiles]}, true}, {event.Commit{}, false},
		{event.Commit{Paths: many[:9], Text: "gofmt"}, false}, {event.Commit{Gone: many[:1]}, true}} {
		if Counts(x.c) != x.want {
			t.Errorf("%d files, %q: %v", len(x.c.Paths)+len(x.c.Gone), x.c.Text, !x.want)
		}
	}
}

// TestEvidence: what weights are fitted on gives the log odds that Companions give.
func TestEvidence(t *testing.T) {
	c, w := made().times(9, "a.go", "b.go").times(4, "c.go", "b.go").times(3, "a.go", "c.go"), Shipped()
	change := []event.Path{"a.go", "c.go"}
	want := map[event.Path]float64{}
	for _, x := range c.Companions(nil, w, change, nil, nil, everything, 10) {
		want[x.File] = x.LogOdds
	}
	found := map[event.Path][]Evidence{}
	for _, e := range c.Evidence(change, nil, nil, everything) {
		found[e.File] = append(found[e.File], e)
	}
	for f, all := range found {
		best, sum, both := all[0].Facts, 0.0, 0
		for _, e := range all {
			both = max(both, e.Both)
			if sum += probability(w.Z(&e.Facts)); w.Z(&e.Facts) > w.Z(&best) {
				best = e.Facts
			}
		}
		best[Others], best[Alike] = Beside(w.Z(&best), sum-probability(w.Z(&best)), all[0].Alike)
		if math.Abs(w.LogOdds(&best)-want[f]) > 1e-12 || both != 9 {
			t.Errorf("%s: %v, %v; %d commits", f, w.LogOdds(&best), want[f], both)
		}
	}
}

// TestFactsForm: weights are stored by the names of the facts; one that does not exist is refused.
func TestFactsForm(t *testing.T) {
	var f, again Facts
	f[Common], f[Name] = 2, -1
	data, err := f.MarshalJSON()
	if err != nil || again.UnmarshalJSON(data) != nil || again != f {
		t.Errorf("%s, %v", data, err)
	}
	if again.UnmarshalJSON([]byte(`{"share": 1}`)) == nil {
		t.Error("a fact that does not exist is read")
	}
}

// TestMissing: a partner is missing beside another file, and so is that of the other one; a partner
// that was never missing is, beside any number of files. Files that change with a third of the
// commits, all alike, are not.
func TestMissing(t *testing.T) {
	c := made().times(2, "a.go").times(60, "a.go", "b.go").times(60, "c.go", "d.go")
	for i := range 60 {
		c.times(1, "hub.go", event.Path(fmt.Sprintf("part%d.go", i%3)))
	}
	missing := func(file event.Path, change ...event.Path) float64 {
		for _, x := range c.Companions(nil, Shipped(), change, nil, nil, everything, 10) {
			if x.File == file {
				return Shipped().Missing.Probability(&x, x.LogOdds, len(change))
			}
		}
		return 0
	}
	for _, others := range [][]event.Path{nil, {"x.go"}, {"c.go"}} {
		if p := missing("b.go", append(others, "a.go")...); p < .7 {
			t.Errorf("beside %v: %v", others, p)
		}
	}
	for _, more := range [][]event.Path{nil, {"x.go", "y.go", "z.go", "hub.go"}} {
		if p := missing("d.go", append(more, "a.go", "c.go")...); p < .7 {
			t.Errorf("the partner of the second file, beside %v: %v", more, p)
		}
	}
	// Two partners that are always there do not hide each other, nor does one that changes with
	// everything.
	c = made().times(60, "a.go", "b.go", "c.go", "CHANGELOG.md").times(60, "other.go", "CHANGELOG.md").times(60, "CHANGELOG.md")
	for _, file := range []event.Path{"b.go", "c.go"} {
		if p := missing(file, "a.go"); p < .7 {
			t.Errorf("%s, one of three partners: %v", file, p)
		}
	}
	c = made().times(60, "hub.go", "part0.go").times(60, "hub.go", "part1.go").times(60, "hub.go", "part2.go")
	if p := missing("part1.go", "hub.go"); p > .3 {
		t.Errorf("one of three: %v", p)
	}
}
