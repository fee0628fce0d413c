package report

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Map is the files that belong together. The page shows as many of the first pairs as there is
// space for.
type Map struct {
	Files   []string `json:"files"`
	Commits []int    `json:"commits"` // of each file
	// two places in Files, the commits of both, and those of the last year; strongest first
	Pairs [][4]int `json:"pairs"`
	All   int      `json:"all"` // files that exist
}

// Across is two files of different folders that keep changing together.
type Across struct {
	A    string `json:"a"`
	B    string `json:"b"`
	Both int    `json:"both"` // commits that changed both
	OfA  int    `json:"of_a"` // commits that changed A, the one with fewer
	OfB  int    `json:"of_b"`
	Year int    `json:"year"` // of Both, those of the last year

	YearA int `json:"year_a"` // commits of the last year that changed A
}

const (
	mapPairs    = 6000 // pairs of a map: more than a hundred screens
	acrossPairs = 20
	acrossOld   = 10 // pairs up to which old ones fill the list
	perFolders  = 2  // pairs of the same two folders
)

// couple is a pair with its counts.
type couple struct {
	a, b       int32
	both, year int
	score      float64
}

// coupling finds the pairs: files that share at least three commits of at most thirty files. A pair
// counts by the share of its common commits in those of either, as the cosine of the two, and by
// their number: 40 of 44 says more than 3 of 3.
func (h *history) coupling() *Map {
	of := h.commits(time.Time{})
	var couples []couple
	for pair, n := range h.together(of) {
		if n[0] < leastBoth {
			continue
		}
		c := couple{a: pair[0], b: pair[1], both: int(n[0]), year: int(n[1])}
		share := float64(c.both) / (math.Sqrt(float64(of[c.a])*float64(of[c.b])) + 2) // two imagined commits apart
		if c.score = share * math.Log2(1+float64(c.both)); share < leastShare {
			continue
		}
		c.score *= interest(h.names[c.a], h.names[c.b])
		couples = append(couples, c)
	}
	slices.SortFunc(couples, func(x, y couple) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	m := &Map{Files: []string{}, Commits: []int{}, Pairs: [][4]int{}, All: len(h.names)}
	place := map[int32]int{}
	at := func(id int32) int {
		i, known := place[id]
		if !known {
			i = len(m.Files)
			place[id] = i
			m.Files, m.Commits = append(m.Files, h.name(id)), append(m.Commits, of[id])
		}
		return i
	}
	couples = firsts(couples, mapPairs)
	h.recount(couples)
	for _, c := range couples {
		m.Pairs = append(m.Pairs, [4]int{at(c.a), at(c.b), c.both, c.year})
	}
	return m
}

// interest is what a pair is worth beside others: more if the tree does not show it, less if a
// release or a copy explains it.
func interest(a, b event.Path) float64 {
	switch {
	case a.Upkeep() || b.Upkeep():
		return .3
	case a.Dir() == b.Dir():
		return 1
	case a.Base() == b.Base(): // of samples, packages and translations
		return .4
	}
	return 1.5
}

// together counts the commits of each pair, all and those of the last year. Files with too few
// commits make no pair.
func (h *history) together(of []int) map[[2]int32][2]int32 {
	count := map[[2]int32][2]int32{}
	var files []int32
	for _, c := range slices.Backward(h.changes) {
		if c.many {
			continue
		}
		files = files[:0]
		for _, f := range c.files {
			if of[f] >= leastBoth {
				files = append(files, f)
			}
		}
		for i, a := range files {
			for _, b := range files[i+1:] {
				n, known := count[[2]int32{a, b}]
				if !known && len(count) >= countPairs {
					continue
				}
				n[0]++
				if c.at.After(h.year) {
					n[1]++
				}
				count[[2]int32{a, b}] = n
			}
		}
	}
	return count
}

// recount adds to the counts of pairs the commits of many files, which find none: every page and
// command counts the common commits of two files alike.
func (h *history) recount(couples []couple) {
	place := make(map[[2]int32]int, len(couples))
	for i, c := range couples {
		place[[2]int32{c.a, c.b}] = i
	}
	for _, c := range h.changes {
		if !c.many {
			continue
		}
		for i, a := range c.files {
			for _, b := range c.files[i+1:] {
				if at, known := place[[2]int32{a, b}]; known {
					couples[at].both++
					couples[at].year += count(c.at.After(h.year))
				}
			}
		}
	}
}

// across are the strongest pairs of different folders whose names do not give them away. Those
// without a commit of the last year stand last, and only where there are few others.
func (h *history) across(m *Map) (out []Across) {
	of := map[string]int{} // commits of the last year
	for id, n := range h.commits(h.year) {
		of[h.name(int32(id))] = n
	}
	var old []Across
	used := map[string]int{}
	for _, p := range m.Pairs {
		a, b := p[0], p[1]
		if m.Commits[a] > m.Commits[b] {
			a, b = b, a
		}
		x := Across{A: m.Files[a], B: m.Files[b], Both: p[2], OfA: m.Commits[a], OfB: m.Commits[b], Year: p[3],
			YearA: of[m.Files[a]]}
		pa, pb := event.Path(x.A), event.Path(x.B)
		folders := min(pa.Dir(), pb.Dir()) + "\x00" + max(pa.Dir(), pb.Dir())
		if pa.Dir() == pb.Dir() || pa.Stem() == pb.Stem() || pa.Upkeep() || pb.Upkeep() || used[folders] >= perFolders {
			continue
		}
		used[folders]++
		if x.Year > 0 {
			out = append(out, x)
		} else {
			old = append(old, x)
		}
	}
	if len(out) < acrossOld {
		out = append(out, firsts(old, acrossOld-len(out))...)
	}
	return firsts(out, acrossPairs)
}
