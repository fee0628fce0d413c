package reload

import (
	"cmp"
	"math"
	"slices"
)

// index finds the entries that share much with a fingerprint without looking at the others: gram → entries.
type index struct {
	with map[uint64][]*Entry
	all  int
	bare map[Trigger][]*Entry // exact triggers without words
	vecs []*Entry             // entries with a vector
}

func newIndex() *index { return &index{with: map[uint64][]*Entry{}, bare: map[Trigger][]*Entry{}} }

func (x *index) add(e *Entry) {
	x.all++
	for _, g := range e.print.grams {
		x.with[g.hash] = append(x.with[g.hash], e)
	}
	if len(e.print.grams) == 0 {
		x.bare[e.print.Trigger] = append(x.bare[e.print.Trigger], e)
	}
	if e.print.vector != nil {
		x.vecs = append(x.vecs, e)
	}
}

func (x *index) remove(e *Entry) {
	x.all--
	without := func(list []*Entry) []*Entry {
		return slices.DeleteFunc(list, func(o *Entry) bool { return o == e })
	}
	for _, g := range e.print.grams {
		if left := without(x.with[g.hash]); len(left) > 0 {
			x.with[g.hash] = left
		} else {
			delete(x.with, g.hash)
		}
	}
	if len(e.print.grams) == 0 {
		x.bare[e.print.Trigger] = without(x.bare[e.print.Trigger])
	}
	x.vecs = without(x.vecs)
}

// What a gram weighs: share[n]·ln((N+prior+1)/(df+own+1)), N entries of which df have it. The prior stands for
// prompts elsewhere, of which many have the weak words: a cache of three entries cannot know that "fix" says little.
const (
	priorPrompts = 60
	priorWeak    = 24
)

var share = [4]float64{0, 1, 0.12, 0.05}

func (x *index) weight(g gram) float64 {
	own := 0.0
	if g.weak {
		own = priorWeak / float64(g.size)
	}
	return share[g.size] * math.Log((float64(x.all)+priorPrompts+1)/(float64(len(x.with[g.hash]))+own+1))
}

// maxCandidates bounds the entries that are compared. More would share a gram that half of the query's weight hangs
// on, which is then no request but a habit.
const maxCandidates = 256

// candidates are all entries that can reach the content floor, and some others. For a weighted Jaccard of at least
// floor an entry shares at least that part of the query's weight; so it shares one of the heaviest grams that
// together exceed the rest (prefix filter). Their lists are the shortest ones.
func (x *index) candidates(f Fingerprint) []*Entry {
	type weighed struct {
		gram
		w float64
	}
	total, grams := 0.0, make([]weighed, 0, len(f.grams))
	for _, g := range f.grams {
		w := x.weight(g)
		total += w
		grams = append(grams, weighed{g, w})
	}
	slices.SortFunc(grams, func(a, b weighed) int { return cmp.Or(cmp.Compare(b.w, a.w), cmp.Compare(a.hash, b.hash)) })
	seen := map[*Entry]bool{}
	var out []*Entry
	take := func(list []*Entry) {
		for i := len(list) - 1; i >= 0 && len(out) < maxCandidates; i-- { // the newest first
			if e := list[i]; !seen[e] {
				seen[e] = true
				out = append(out, e)
			}
		}
	}
	taken := 0.0
	for _, g := range grams {
		if taken > total*(1-contentFloor)+1e-9 {
			break
		}
		taken += g.w
		take(x.with[g.hash])
	}
	if len(f.grams) == 0 {
		take(x.bare[f.Trigger])
	}
	if f.vector != nil {
		take(x.vecs)
	}
	return out
}

// jaccard is Σ weight of the grams in both / Σ weight of the grams in either; two prompts without words are equal.
func (x *index) jaccard(a, b []gram) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	both, either := 0.0, 0.0
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case j == len(b) || i < len(a) && a[i].hash < b[j].hash:
			either += x.weight(a[i])
			i++
		case i == len(a) || b[j].hash < a[i].hash:
			either += x.weight(b[j])
			j++
		default:
			w := x.weight(a[i])
			both, either = both+w, either+w
			i, j = i+1, j+1
		}
	}
	if either == 0 {
		return 0
	}
	return both / either
}

// cosine of two vectors, 0 if they do not fit.
func cosine(a, b []float32) float64 {
	if len(a) == 0 || len(a) != len(b) {
		return 0
	}
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if c := dot / math.Sqrt(aa*bb); c > 0 { // false for NaN
		return min(c, 1)
	}
	return 0
}
