package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// lived is a history of 400 commits with partners that are certain, frequent, old and new, with a
// name that promises more than happened, and with files of everything.
func lived() *Commits {
	c := &Commits{}
	for i := range 400 {
		var set []event.Path
		in := func(every, from int, files ...event.Path) {
			if i >= from && i%every == 0 {
				set = append(set, files...)
			}
		}
		in(4, 0, "api/wire.go", "docs/json.md")
		in(12, 0, "api/client.go")
		in(8, 300, "api/wire.go", "web/form.ts") // a partner of late
		if i < 200 {
			in(5, 0, "cmd/old.go", "cmd/flags.go") // partners of long ago
		}
		in(5, 200, "cmd/old.go")
		in(7, 0, "cmd/run.go", "cmd/run_test.go")
		in(9, 1, "cmd/list.go")
		in(11, 0, "cmd/list.go", "cmd/list_test.go")
		in(3, 0, "CHANGELOG.md")
		in(50, 0, "web/a.ts", "web/b.ts", "web/c.ts", "web/d.ts", "api/wire.go") // large commits
		c.Add("", append(set, event.Path(fmt.Sprintf("work/w%d.go", i%23))), nil)
	}
	return c
}

// TestFactsOfAHistory compares every fact of the companions of some changes, and what becomes of
// them, with a golden file, so that no constant or bound of a fact changes unseen. A difference is
// a fault or a decision.
func TestFactsOfAHistory(t *testing.T) {
	t.Parallel()
	c, w := lived(), Shipped()
	var b strings.Builder
	print := func(w *Weights, change []event.Path, found []Companion) {
		fmt.Fprintf(&b, "# %s\n", event.Strings(change))
		for _, x := range found {
			fmt.Fprintf(&b, "%s by %s: log odds %.4g, ahead %.4g, foremost %d, missing %.4g", x.File, x.With, x.LogOdds, x.Ahead,
				x.Foremost, w.Missing.Probability(&x, x.LogOdds, len(change)))
			for i, v := range x.Facts {
				if v != 0 {
					fmt.Fprintf(&b, " %s=%.4g", Fact(i), v)
				}
			}
			b.WriteByte('\n')
		}
	}
	for _, change := range [][]event.Path{{"api/wire.go"}, {"cmd/old.go"}, {"cmd/run.go", "cmd/list.go"},
		{"web/a.ts", "web/b.ts"}, {"api/new.go"}, {"docs/json.md", "CHANGELOG.md", "web/form.ts"}} {
		print(w, change, c.Companions(nil, w, change, nil, nil, func(p event.Path) bool { return p != "cmd/flags.go" || change[0] == "cmd/old.go" }, 8))
	}
	b.WriteString("# pairs\n")
	for _, recent := range []int{400, 60} {
		for _, p := range c.Pairs(6, recent, everything) {
			fmt.Fprintf(&b, "%d: %+v\n", recent, p)
		}
	}
	b.WriteString("# with links\n")
	links := Links{"docs/json.md": {Imports: .5, Path: 1, Uses: 1, Used: 3, Stem: .25, Sibling: .5},
		"web/form.ts": {Imports: 1, Uses: 1}, "far/away.rb": {Stem: 1}}
	print(ShippedAlone(), []event.Path{"api/wire.go"}, c.alone("api/wire.go", links))
	b.WriteString("# with diffs\n")
	said := cli()
	said.Rename("flags.md", "docs/flags.md")
	for _, says := range []string{"flag usage value", "mutex guard7 guard9"} {
		for _, f := range []event.Path{"cmd.go", "new.go"} {
			print(ShippedSketched(), []event.Path{f}, said.Companions(nil, ShippedSketched(), []event.Path{f},
				map[event.Path]index.Sketch{f: diff(says)}, nil, everything, 5))
		}
	}
	b.WriteString("# how surprising two files are together\n")
	for _, p := range []string{"a/cart.go a/price.go", "a/cart.go b/price.go", "a/cart.go a/price.md", "a/cart.go b/price.md", "a/cart.go b/cart.md",
		"a/cart.go b/cart-sum.md", "a/basket.go b/mybasketform.ts", "a/form.go b/myformula.ts", "go.mod b/price.md"} {
		one, other, _ := strings.Cut(p, " ")
		fmt.Fprintf(&b, "%s: %v\n", p, surprise(event.Path(one), event.Path(other)))
		fault.Same(t, p+", the other way", surprise(event.Path(other), event.Path(one)), surprise(event.Path(one), event.Path(other)))
	}
	fault.Golden(t, "testdata/facts.txt", b.String())
}

// TestBounds: of a long history so many commits are looked at.
func TestBounds(t *testing.T) {
	t.Parallel()
	// A partner that was missing in the newest 300 commits of a file is forgotten.
	c := made().times(50, "a.go", "old.go").times(299, "a.go")
	if p := c.p(t, "old.go", "a.go"); p == 0 {
		t.Error("the 300th commit back is not looked at")
	}
	if facts := c.times(1, "a.go").Companions(nil, Shipped(), []event.Path{"a.go"}, nil, nil, everything, 9); len(facts) > 0 && facts[0].Facts[Common] > 0 {
		t.Errorf("the 301st commit back counts: %+v", facts)
	}
	// Of a change the last 100 files that commits have are asked; new ones do not push them out.
	d := made().times(20, "asked/a.go", "with/partner.md").times(20, "other/c.c") // partner.md is not among the newest files
	change := []event.Path{"asked/a.go"}
	for i := range 100 {
		old := event.Path(fmt.Sprintf("old/f%d.go", i))
		d.times(1, old)
		change = append(change, old, event.Path(fmt.Sprintf("new/f%d.go", i)))
	}
	if d.p(t, "with/partner.md", change...) != 0 {
		t.Error("101 files of a change are asked")
	}
	if change = slices.Delete(change, 1, 2); d.p(t, "with/partner.md", change...) == 0 {
		t.Error("the hundredth file of a change is not asked")
	}
	// 30 files are the most of a commit that counts for pairs, and three commits the fewest of a
	// pair.
	var many []event.Path
	for i := range 28 {
		many = append(many, event.Path(fmt.Sprintf(".github/x%d.txt", i)))
	}
	for n, want := range map[int]int{28: 1, 29: 0} {
		set := append(many[:28:28], "one/alpha.go", "two/beta.md")
		if n == 29 {
			set = append(set, "three/gamma.ts")
		}
		got := 0
		for _, p := range made().times(3, set...).Pairs(99, 99, everything) {
			if p.A == "one/alpha.go" && p.B == "two/beta.md" {
				got++
			}
		}
		fault.Same(t, fmt.Sprintf("pairs of commits of %d files", len(set)), min(got, 1), want)
	}
	for n, want := range map[int]int{2: 0, 3: 1} {
		fault.Same(t, fmt.Sprintf("pairs of %d commits", n), len(made().times(n, "one/alpha.go", "two/beta.md").Pairs(9, 9, everything)), want)
	}
}

// alone are the companions of a file by commits and links, the likeliest first.
func (c *Commits) alone(f event.Path, l Links) []Companion {
	p := Past{Commits: c, Links: func(event.Path) Links { return l }}
	out, _ := p.Companions(nil, []event.Path{f}, everything, 9)
	return out
}

func filesOf(found []Companion) (out []event.Path) {
	for _, x := range found {
		out = append(out, x.File)
	}
	return out
}

// TestStructureBeforeTheBusiest: with one common commit, what names and contents link with a file
// stands before what everybody works on, and files that no commit has are found.
func TestStructureBeforeTheBusiest(t *testing.T) {
	c := &Commits{}
	c.Add("", []event.Path{"lib/parse.go", "core/engine.go", "core/state.go"}, nil)
	c.Add("", []event.Path{"lib/parse.go", "lib/lexer.go"}, nil)
	for range 8 {
		c.Add("", []event.Path{"lib/parse.go"}, nil)
	}
	for i := range 120 {
		set := []event.Path{event.Path(fmt.Sprintf("work/w%d.go", i%9))}
		if i%12 == 11 {
			set = append(set, "core/engine.go", "core/state.go")
		}
		c.Add("", set, nil)
	}
	l := Links{"check/parse_test.go": {Stem: .8, Imports: 1}, "lib/lexer.go": {Sibling: .7, Uses: 2},
		"docs/parsing.md": {Path: 1, Stem: .5}}
	found := filesOf(c.alone("lib/parse.go", l))
	busiest := slices.Index(found, "core/engine.go")
	for f := range l {
		if i := slices.Index(found, f); i < 0 || busiest >= 0 && i > busiest {
			t.Errorf("%s is at %d, core/engine.go at %d: %s", f, i, busiest, found)
		}
	}
}

// TestLinksOfOneFileAlone: links are asked for where one file is named and nothing is known of its
// change.
func TestLinksOfOneFileAlone(t *testing.T) {
	c := cli()
	asked := 0
	p := Past{Commits: c, Links: func(event.Path) Links { asked++; return nil }}
	p.Companions(nil, []event.Path{"cmd.go"}, everything, 5)
	p.Companions(nil, []event.Path{"cmd.go", "lock.go"}, everything, 5)
	p.Diffs = map[event.Path]index.Sketch{"cmd.go": diff("flag")}
	p.Companions(nil, []event.Path{"cmd.go"}, everything, 5)
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// TestRenamed: a file has its companions under its new name, and the name that is gone is no
// companion.
func TestRenamed(t *testing.T) {
	t.Parallel()
	c := made().times(20, "a.go", "old.md")
	c.Rename("old.md", "new.md")
	c.Rename("other.md", "a.go") // takes the name: what a.go was is gone
	for _, x := range c.Companions(nil, Shipped(), []event.Path{"new.md"}, nil, nil, everything, 9) {
		if x.File == "" || x.File == "a.go" && x.Facts[Common] > 0 {
			t.Errorf("%q is a companion: %+v", x.File, x.Facts)
		}
	}
	if p := made().times(1, "pkg/x.go").p(t, "pkg/x.go", "pkg/x_test.go"); p == 0 {
		t.Error("a pair by name is not found")
	}
	apart := made().times(1, "src/x.go").times(1, "test/x_test.go")
	for i := range 300 {
		apart.Add("", []event.Path{event.Path(fmt.Sprintf("newer/f%d.go", i))}, nil)
	}
	if apart.p(t, "test/x_test.go", "src/x.go") == 0 {
		t.Error("a pair by name in two folders is not found")
	}
	if MaxFiles != 100 {
		t.Errorf("commits of %d files count", MaxFiles)
	}
}

// TestStemOfMany: what every folder has is not a pair by name.
func TestStemOfMany(t *testing.T) {
	for n, want := range map[int]float64{mostStem: 1, mostStem + 1: 0} {
		c := &Commits{}
		for i := range n {
			c.Add("", []event.Path{event.Path(fmt.Sprintf("p%d/conf.py", i))}, nil)
		}
		for _, x := range c.alone("p0/conf.py", Links{}) {
			if got := truth(x.Facts[Name] > 0); got != want {
				t.Errorf("%d files: %s: name %v", n, x.File, got)
			}
		}
	}
}

// TestSimple: the rule lists five files by their common commits, and neither the change itself nor
// what is gone.
func TestSimple(t *testing.T) {
	t.Parallel()
	c := made().times(2, "a", "b", "c", "d", "e", "gone").times(1, "a", "y", "z")
	got := c.Simple([]event.Path{"a"}, func(p event.Path) bool { return p != "gone" }, 5)
	fault.Same(t, "listed", got, []event.Path{"b", "c", "d", "e", "y"})
}

// TestCalm: one commit without its partner says little about a pair of many commits.
func TestCalm(t *testing.T) {
	t.Parallel()
	c := made().times(20, "x/other.c").times(107, "api/a.go", "docs/b.md")
	before := c.p(t, "docs/b.md", "api/a.go")
	if after := c.times(1, "api/a.go").p(t, "docs/b.md", "api/a.go"); before < .98 || after < before-.05 {
		t.Errorf("%.3f became %.3f", before, after)
	}
}
