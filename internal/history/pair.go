package history

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Pair is two files that keep changing together.
type Pair struct {
	A    event.Path `json:"a"` // the file with fewer commits
	B    event.Path `json:"b"`
	Both int        `json:"both"` // commits that changed both
	OfA  int        `json:"of_a"` // commits that changed A
	OfB  int        `json:"of_b"`
}

// Limits of Pairs. Commits of many files are ignored, and only a limited number of pairs is counted
// at a time. The commits of a pair that was found are counted by Count.
const (
	pairFiles = 30
	pairMost  = 2_000_000 // pairs that are counted at a time: 80 MB
	pairLeast = 3         // commits that a pair must share
	pairStem  = 5         // a name with at least this many letters that occurs inside of another one is hardly chance
)

// Pairs returns the n strongest hidden pairs: files that share at least three commits and mostly
// change together although their names do not show it. Each file and each pair of folders occurs
// only once. Pairs across folders or file types come first; pairs without a common commit among the
// newest recent ones come last. exists tells which files still exist.
func (c *Commits) Pairs(n, recent int, exists func(event.Path) bool) (out []Pair) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	used := map[string]bool{}
	for _, r := range c.strongest(len(c.sets)-recent, exists) {
		a, b := c.files[r.files[0]].name, c.files[r.files[1]].name
		folders := "\x00" + min(a.Dir(), b.Dir()) + "\x00" + max(a.Dir(), b.Dir())
		if len(out) >= n {
			break
		}
		if used[string(a)] || used[string(b)] || used[folders] {
			continue
		}
		used[string(a)], used[string(b)], used[folders] = true, true, true
		both, _ := c.shared(r.files[0], r.files[1])
		p := Pair{A: a, B: b, Both: both, OfA: len(c.files[r.files[0]].commits), OfB: len(c.files[r.files[1]].commits)}
		if p.OfA > p.OfB || p.OfA == p.OfB && a > b {
			p.A, p.B, p.OfA, p.OfB = b, a, p.OfB, p.OfA
		}
		out = append(out, p)
	}
	return out
}

// rated is a pair of files with its rating.
type rated struct {
	files [2]int32
	old   bool // none of the newest commits changed both
	score float64
}

// strongest returns the pairs ordered by confidence, as if there were two more commits that changed
// only one of the files, and weighted by the number of shared commits: 40 of 44 tells more than 3
// of 3. Commits before the number since are old.
func (c *Commits) strongest(since int, exists func(event.Path) bool) (out []rated) {
	count := map[[2]int32][2]int32{} // number of commits of both, and the last of them
	for n, set := range c.sets {
		if len(set) > pairFiles {
			continue
		}
		for i, a := range set {
			for _, b := range set[i+1:] {
				key := [2]int32{a, b}
				if x := count[key]; x[0] > 0 || len(count) < pairMost {
					count[key] = [2]int32{x[0] + 1, int32(n)}
				}
			}
		}
	}
	for key, x := range count {
		both := int(x[0])
		a, b := &c.files[key[0]], &c.files[key[1]]
		share := float64(both) / float64(max(len(a.commits), len(b.commits))+2)
		if both < pairLeast || share < 0.25 || a.name == "" || b.name == "" || !exists(a.name) || !exists(b.name) {
			continue
		}
		if s := share * math.Log2(1+float64(both)) * surprise(a.name, b.name); s > 0 {
			out = append(out, rated{key, int(x[1]) < since, s})
		}
	}
	slices.SortFunc(out, func(r, o rated) int {
		if r.old != o.old {
			return map[bool]int{true: 1, false: -1}[r.old]
		}
		return cmp.Or(cmp.Compare(o.score, r.score), slices.Compare(r.files[:], o.files[:]))
	})
	return out
}

// surprise returns 0 for pairs that their names or a release explain. It is larger if folder and
// type differ.
func surprise(a, b event.Path) float64 {
	if a.Upkeep() || b.Upkeep() {
		return 0
	}
	short, long := strings.ToLower(a.Stem()), strings.ToLower(b.Stem())
	if len(short) > len(long) {
		short, long = long, short
	}
	if short == long || strings.HasPrefix(long, short+"-") || len(short) >= pairStem && strings.Contains(long, short) {
		return 0
	}
	s := 1.0
	if a.Dir() != b.Dir() {
		s *= 1.5
	}
	if a.Ext() != b.Ext() {
		s *= 1.25
	}
	return s
}
