package report

import (
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
)

// coupling returns the map of the repository.
func (h *commits) coupling() *Map {
	m := &Map{Files: []string{}, Commits: []int{}, Pairs: [][4]int{}, All: len(h.files)}
	place := map[event.Path]int{}
	at := func(f event.Path, commits int) int {
		i, known := place[f]
		if !known {
			i = len(m.Files)
			place[f] = i
			m.Files, m.Commits = append(m.Files, f.Display()), append(m.Commits, commits)
		}
		return i
	}
	for _, p := range h.Coupled(mapPairs, h.recent, h.has) {
		m.Pairs = append(m.Pairs, [4]int{at(p.A, p.OfA), at(p.B, p.OfB), p.Both, p.Recent})
	}
	return m
}

// across returns the strongest hidden pairs of files in different folders.
func (h *commits) across() (out []Across) {
	for _, p := range h.Pairs(len(h.files), h.recent, h.has) {
		if p.A.Dir() != p.B.Dir() && len(out) < acrossPairs {
			out = append(out, Across{A: p.A.Display(), B: p.B.Display(), Both: p.Both, OfA: p.OfA, OfB: p.OfB,
				Year: p.Recent, YearA: p.RecentOfA})
		}
	}
	return out
}
