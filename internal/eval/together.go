package eval

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
)

// together is the simple rule that aOa is compared with: it lists the files that were most often
// committed together with the files of a change. It maps each file to the number of its commits
// with each other file; the entry for the file itself counts all of its commits.
type together map[event.Path]map[event.Path]float64

// learn counts an event that is a commit.
func (t together) learn(e event.Event) {
	if len(e.Paths()) > history.MaxFiles || e.Kind() != event.KindCommit {
		return
	}
	for _, a := range e.Paths() {
		if t[a] == nil {
			t[a] = map[event.Path]float64{}
		}
		for _, b := range e.Paths() {
			t[a][b]++
		}
	}
}

// finds reports whether the rule lists an existing file among the first ones for a change. Ties are
// ordered by name.
func (t together) finds(f event.Path, change []event.Path, has func(event.Path) bool) bool {
	scores := map[event.Path]float64{} // 1 − Π(1 − commits of both / commits of the changed file)
	for _, c := range change {
		for p, both := range t[c] {
			scores[p] = 1 - (1-scores[p])*(1-min(both/(t[c][c]+.01), .99))
		}
	}
	for _, c := range change {
		delete(scores, c)
	}
	before := 0
	for p, s := range scores {
		if has(p) && (s > scores[f] || s == scores[f] && p < f) {
			before++
		}
	}
	return scores[f] > 0 && before < Listed
}
