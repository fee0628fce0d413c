package eval

import (
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
)

// together is the simple rule that aOa is compared with: it lists the files that were most often
// committed together with the files of a change.
type together struct {
	ids   map[event.Path]int32
	names []event.Path
	// by file, the number of its commits with each other file; the entry for the file itself counts
	// all of its commits
	both []map[int32]float64

	scores []float64 // by file; memory of finds, zero between its calls
	scored []int32
}

// learn counts an event that is a commit.
func (t *together) learn(e event.Event) {
	if len(e.Paths()) > history.MaxFiles || e.Kind() != event.KindCommit {
		return
	}
	files := make([]int32, len(e.Paths()))
	for i, p := range e.Paths() {
		files[i] = t.id(p)
	}
	for _, a := range files {
		for _, b := range files {
			t.both[a][b]++
		}
	}
}

func (t *together) id(p event.Path) int32 {
	i, known := t.ids[p]
	if !known {
		if t.ids == nil {
			t.ids = map[event.Path]int32{}
		}
		i = int32(len(t.names))
		t.ids[p], t.names, t.both = i, append(t.names, p), append(t.both, map[int32]float64{})
		t.scores = append(t.scores, 0)
	}
	return i
}

// finds reports whether the rule lists an existing file among the first ones for a change. Ties are
// ordered by name.
func (t *together) finds(f event.Path, change []event.Path, has func(event.Path) bool) bool {
	for _, p := range change { // 1 − Π(1 − commits of both / commits of the changed file)
		c := t.id(p)
		for i, both := range t.both[c] {
			if t.scores[i] == 0 {
				t.scored = append(t.scored, i)
			}
			t.scores[i] = 1 - (1-t.scores[i])*(1-min(both/(t.both[c][c]+.01), .99))
		}
	}
	for _, p := range change {
		t.scores[t.id(p)] = 0
	}
	own, before := t.scores[t.id(f)], 0
	for _, i := range t.scored {
		s, p := t.scores[i], t.names[i]
		if (s > own || s == own && p < f) && before < Listed && has(p) {
			before++
		}
	}
	for _, i := range t.scored {
		t.scores[i] = 0
	}
	t.scored = t.scored[:0]
	return own > 0 && before < Listed
}
