package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Hot is a long file that changes often: a mistake there is likely, and a change expensive.
type Hot struct {
	File    string `json:"file"`
	Commits int    `json:"commits"` // number of commits in the year before the newest commit
	Lines   int    `json:"lines"`
}

const (
	hotRead = 400 // files whose length is read
	hotMost = 200
)

// hot orders source files by the product of their commits in the last year and the square root of
// their lines: a file of 1,600 lines weighs four times as much as one of 100.
func (h *commits) hot(lines func(event.Path) int) []Hot {
	of := map[event.Path]int{} // commits of the last year
	var files []event.Path
	for _, p := range h.files {
		if _, of[p] = h.Of(p, h.recent); of[p] > 1 && !p.Upkeep() && index.KindOf(p) == index.KindSource {
			files = append(files, p)
		}
	}
	slices.SortStableFunc(files, func(a, b event.Path) int { return cmp.Compare(of[b], of[a]) })
	var out []Hot
	for _, p := range files[:min(len(files), hotRead)] {
		if n := lines(p); n > 0 {
			out = append(out, Hot{File: p.Display(), Commits: of[p], Lines: n})
		}
	}
	heat := func(f Hot) float64 { return float64(f.Commits) * math.Sqrt(float64(f.Lines)) }
	slices.SortStableFunc(out, func(a, b Hot) int { return cmp.Compare(heat(b), heat(a)) })
	return out[:min(len(out), hotMost)]
}
