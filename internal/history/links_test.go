package history

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

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

// TestLargeCommitsCountLess: a partner of five commits of two files stands before one of ten
// commits of sixty.
func TestLargeCommitsCountLess(t *testing.T) {
	c := &Commits{}
	for i := range 10 {
		set := []event.Path{"a.go", "swept.go"}
		for k := range 58 {
			set = append(set, event.Path(fmt.Sprintf("pkg%d/f.go", k)))
		}
		c.Add("", set, nil)
		if i%2 == 0 {
			c.Add("", []event.Path{"a.go", "meant.go"}, nil)
		}
	}
	if found := filesOf(c.alone("a.go", Links{})); len(found) == 0 || found[0] != "meant.go" {
		t.Errorf("%s", found)
	}
}

// TestFactsOfLinks: every fact that names, contents and the size of commits give.
func TestFactsOfLinks(t *testing.T) {
	c := &Commits{}
	for range 2 {
		c.Add("", []event.Path{"a.go", "b.json"}, nil)
	}
	c.Add("", []event.Path{"a.go", "c.md", "d.go"}, nil)
	l := Links{"c.md": {Imports: .5, Path: 1, Uses: 1, Used: 3, Stem: .25, Sibling: .5}, "b.json": {Imports: 1, Uses: 1}}
	facts := map[event.Path]Facts{}
	for _, x := range c.alone("a.go", l) {
		facts[x.File] = x.Facts
	}
	for _, x := range []struct {
		file event.Path
		fact Fact
		want float64
	}{
		{"c.md", Stem, .25}, {"c.md", Sibling, .5}, {"c.md", Path, 1}, {"c.md", Calls, 1.25}, {"c.md", Linked, 1.75},
		{"c.md", Chance, 0}, {"c.md", Prose, 1}, {"c.md", Data, 0},
		{"b.json", Linked, 0}, {"b.json", Calls, .5}, {"b.json", Data, 1}, {"b.json", Prose, 0},
		{"c.md", Keeps, facts["c.md"][Fresh] / 3}, {"b.json", Keeps, facts["b.json"][Fresh] / 2}, {"d.go", Linked, 0},
	} {
		if got := facts[x.file][x.fact]; math.Abs(got-x.want) > 1e-12 {
			t.Errorf("%s of %s: %v, want %v", x.fact, x.file, got, x.want)
		}
	}
	if b, d := facts["b.json"], facts["d.go"]; b[Sized] <= d[Sized] {
		t.Errorf("two commits of two files: %v, one of three: %v", b[Sized], d[Sized])
	}
	c.Add("", []event.Path{"far/e.rb", "a.go"}, nil)
	for _, x := range c.alone("a.go", l) {
		if x.Facts[Chance] != truth(x.File == "far/e.rb") {
			t.Errorf("%s: chance %v", x.File, x.Facts[Chance])
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

// TestStemOfMany: what every folder has is no pair by name.
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
