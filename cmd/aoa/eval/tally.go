package eval

import (
	"github.com/aoa-dev/aoa/internal/aoa"
)

// Hits counts at which place the wanted file stood.
type Hits struct {
	N                       int
	Hit1, Hit3, Hit5, Hit10 int
	Reciprocal              float64 // Σ 1/place
}

// add counts one question; place is from 1, 0 if the file was not among the candidates.
func (h *Hits) add(place int) {
	h.N++
	if place == 0 {
		return
	}
	h.Reciprocal += 1 / float64(place)
	for _, k := range []struct {
		at  int
		hit *int
	}{{1, &h.Hit1}, {3, &h.Hit3}, {5, &h.Hit5}, {10, &h.Hit10}} {
		if place <= k.at {
			*k.hit++
		}
	}
}

// Turns counts what the ranking at a prompt found of the turn's files.
type Turns struct {
	N          int
	Any5       int
	Precision5 float64 // Σ
	Recall10   float64 // Σ
	Reciprocal float64 // Σ 1/place of the first
}

// add counts one prompt: the list without files that the prompt named, and what the turn opened.
func (t *Turns) add(list []aoa.Path, truth map[aoa.Path]bool) {
	t.N++
	five, ten, first := 0, 0, 0
	for i, f := range list {
		if !truth[f] {
			continue
		}
		if first == 0 {
			first = i + 1
		}
		if i < 5 {
			five++
		}
		if i < 10 {
			ten++
		}
	}
	if five > 0 {
		t.Any5++
	}
	if first > 0 {
		t.Reciprocal += 1 / float64(first)
	}
	t.Precision5 += float64(five) / 5
	t.Recall10 += float64(ten) / float64(len(truth))
}

// place is the place from 1 of a file among those of a list that count, 0 if it is none of them.
func place(list []aoa.Path, f aoa.Path, counts func(aoa.Path) bool) int {
	n := 0
	for _, g := range list {
		if !counts(g) {
			continue
		}
		if n++; g == f {
			return n
		}
	}
	return 0
}
