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

	// How many commits of Both and of OfA are among the newest commits.
	Recent    int `json:"-"`
	RecentOfA int `json:"-"`
}

// Limits of pairs. Commits of many files are ignored, and only a limited number of pairs is counted
// at a time. The commits of a pair that was found are counted in all commits.
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
	since := int32(len(c.sets) - recent)
	all := c.strongest(exists, hidden)
	slices.SortStableFunc(all, func(r, o rated) int { return int(truth(r.last < since) - truth(o.last < since)) })
	used := map[string]bool{}
	for _, r := range all {
		a, b := c.files[r.files[0]].name, c.files[r.files[1]].name
		folders := "\x00" + min(a.Dir(), b.Dir()) + "\x00" + max(a.Dir(), b.Dir())
		if len(out) < n && !used[string(a)] && !used[string(b)] && !used[folders] {
			used[string(a)], used[string(b)], used[folders] = true, true, true
			out = append(out, c.pair(r.files, since))
		}
	}
	return out
}

// Coupled returns the n strongest of all pairs that share at least three commits, for a map of the
// repository. recent is the number of newest commits that Pair.Recent counts.
func (c *Commits) Coupled(n, recent int, exists func(event.Path) bool) (out []Pair) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	all := c.strongest(exists, coupled)
	for _, r := range all[:min(len(all), n)] {
		out = append(out, c.pair(r.files, int32(len(c.sets)-recent)))
	}
	return out
}

// Of returns the number of commits that changed a file, and how many of them are among the newest.
func (c *Commits) Of(f event.Path, newest int) (all, recent int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if i, known := c.ids[f]; known {
		before, _ := slices.BinarySearch(c.files[i].commits, int32(len(c.sets)-newest))
		all = len(c.files[i].commits)
		recent = all - before
	}
	return all, recent
}

// pair counts the commits of two files, also those of many files. The caller holds c.mu.
func (c *Commits) pair(files [2]int32, since int32) Pair {
	a, b := &c.files[files[0]], &c.files[files[1]]
	if len(a.commits) > len(b.commits) || len(a.commits) == len(b.commits) && a.name > b.name {
		a, b, files[1] = b, a, files[0]
	}
	p := Pair{A: a.name, B: b.name, OfA: len(a.commits), OfB: len(b.commits)}
	for _, n := range a.commits {
		recent := int(truth(n >= since))
		p.RecentOfA += recent
		if _, both := slices.BinarySearch(c.sets[n], files[1]); both {
			p.Both++
			p.Recent += recent
		}
	}
	return p
}

// rated is a pair of files with its rating. last is the newest commit of both.
type rated struct {
	files [2]int32
	last  int32
	score float64
}

// strongest returns the pairs with a rating, the highest first. rate gets two files and the number
// of commits of at most pairFiles files that changed both.
func (c *Commits) strongest(exists func(event.Path) bool, rate func(a, b *file, both float64) float64) (out []rated) {
	counts := make([]bool, len(c.files))
	for i, f := range c.files {
		counts[i] = len(f.commits) >= pairLeast && f.name != "" && exists(f.name)
	}
	count := map[[2]int32][2]int32{} // number of commits of both, and the last of them
	for n, set := range c.sets {
		if len(set) > pairFiles {
			continue
		}
		for i, a := range set {
			for _, b := range set[i+1:] {
				key := [2]int32{a, b}
				if x := count[key]; counts[a] && counts[b] && (x[0] > 0 || len(count) < pairMost) {
					count[key] = [2]int32{x[0] + 1, int32(n)}
				}
			}
		}
	}
	for key, x := range count {
		if x[0] >= pairLeast {
			if s := rate(&c.files[key[0]], &c.files[key[1]], float64(x[0])); s > 0 {
				out = append(out, rated{key, x[1], s})
			}
		}
	}
	slices.SortFunc(out, func(r, o rated) int {
		return cmp.Or(cmp.Compare(o.score, r.score), slices.Compare(r.files[:], o.files[:]))
	})
	return out
}

// Both ratings are a share, as if there were two more commits that changed only one of the files,
// weighted by the number of common commits: 40 of 44 tells more than 3 of 3.

// hidden rates a pair by its share of the commits of the file that changes more often.
func hidden(a, b *file, both float64) float64 {
	share := both / float64(max(len(a.commits), len(b.commits))+2)
	if share < .25 {
		return 0
	}
	return share * math.Log2(1+both) * surprise(a.name, b.name)
}

// coupled rates a pair by the cosine of its commits: higher if the folders do not suggest that the
// files belong together, lower if a release or a copied folder explains it.
func coupled(a, b *file, both float64) float64 {
	share := both / (math.Sqrt(float64(len(a.commits))*float64(len(b.commits))) + 2)
	interest := 1.5
	switch {
	case share < .12:
		return 0
	case a.name.Upkeep() || b.name.Upkeep():
		interest = .3
	case a.folder == b.folder:
		interest = 1
	case a.name.Base() == b.name.Base(): // copies in samples, packages and translations
		interest = .4
	}
	return share * math.Log2(1+both) * interest
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
