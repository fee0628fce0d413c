package report

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Map holds the pairs of files that change together. The page shows as many of the first pairs as
// fit.
type Map struct {
	Files   []string `json:"files"`
	Commits []int    `json:"commits"` // number of commits of each file
	// each pair: two indexes into Files, the commits of both, and those of the last year; the
	// strongest pair is first
	Pairs [][4]int `json:"pairs"`
	All   int      `json:"all"` // number of files in the repository
}

// Across is a pair of files in different folders that keep changing together.
type Across struct {
	A    string `json:"a"`
	B    string `json:"b"`
	Both int    `json:"both"` // commits that changed both
	OfA  int    `json:"of_a"` // commits that changed A, which has fewer commits than B
	OfB  int    `json:"of_b"`
	Year int    `json:"year"` // commits of Both in the last year

	YearA int `json:"year_a"` // commits of the last year that changed A
}

const (
	mapPairs    = 6000 // pairs in a map: enough for more than a hundred screens
	acrossPairs = 20
	acrossOld   = 10 // old pairs are added until the list has this many
	perFolders  = 2  // most pairs of the same two folders
)

// couple is a pair of files with its counts.
type couple struct {
	a, b       int32
	both, year int
	score      float64
}

// coupling returns the pairs of files that share at least three commits, ignoring commits of more
// than thirty files. Pairs are ordered by the cosine similarity of their commits, reduced for pairs
// with few commits: 40 common commits of 44 are stronger evidence than 3 of 3.
func (h *history) coupling() *Map {
	of := h.commits(time.Time{})
	var couples []couple
	for pair, n := range h.together(of) {
		if n[0] < leastBoth {
			continue
		}
		c := couple{a: pair[0], b: pair[1], both: int(n[0]), year: int(n[1])}
		// the 2 stands for two more commits in which only one of them changed
		share := float64(c.both) / (math.Sqrt(float64(of[c.a])*float64(of[c.b])) + 2)
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

// interest weights a pair in the list: more if the folders do not suggest that the files belong
// together, less if a release or a copied folder explains it.
func interest(a, b event.Path) float64 {
	switch {
	case a.Upkeep() || b.Upkeep():
		return .3
	case a.Dir() == b.Dir():
		return 1
	case a.Base() == b.Base(): // copies in samples, packages and translations
		return .4
	}
	return 1.5
}

// together counts the commits of each pair, in total and in the last year. Files with too few
// commits are left out.
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

// recount adds the commits of many files to the counts of pairs. Such commits do not create pairs,
// but every page and command has to show the same count for two files.
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

// across returns the strongest pairs of different folders whose names do not give them away. Those
// without a commit of the last year come last, and only where there are few others.
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
