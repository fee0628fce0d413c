package index

import (
	"cmp"
	"math"
	"slices"
)

// Requests finds requests that share much with another one, without comparing it with all of them: an inverted index of
// grams (words, and their neighbors). K is what a request is kept for. It is not safe for concurrent use.
type Requests[K comparable] struct {
	keys map[uint64][]K // by hash of a gram, in the order in which they were added
	n    int
}

// NewRequests returns an index of no request.
func NewRequests[K comparable]() *Requests[K] { return &Requests[K]{keys: map[uint64][]K{}} }

// Add enters a request under a key that has none.
func (x *Requests[K]) Add(key K, r Request) {
	x.n++
	for _, g := range r.grams {
		x.keys[g.hash] = append(x.keys[g.hash], key)
	}
}

// Remove drops a request that was added under the key.
func (x *Requests[K]) Remove(key K, r Request) {
	x.n--
	for _, g := range r.grams {
		left := slices.DeleteFunc(x.keys[g.hash], func(k K) bool { return k == key })
		if len(left) > 0 {
			x.keys[g.hash] = left
		} else {
			delete(x.keys, g.hash)
		}
	}
}

// The weight of a gram is gramShare[words]·ln((n+prior+1)/(with+own+1)), of n requests of which with have it. The
// prior stands for requests elsewhere, of which many have the weak words: an index of three requests cannot know that
// "fix" says little.
const (
	priorRequests = 60.0
	priorWeak     = 24.0
)

var gramShare = [4]float64{0, 1, 0.12, 0.05}

func (x *Requests[K]) weight(g gram) float64 {
	own := 0.0
	if g.weak {
		own = priorWeak / float64(g.size)
	}
	return gramShare[g.size] * math.Log((float64(x.n)+priorRequests+1)/(float64(len(x.keys[g.hash]))+own+1))
}

// Similarity compares two requests by their weighted Jaccard index, in [0,1]: the weight of the grams in both, divided
// by the weight of the grams in either. Two requests without words are equal.
func (x *Requests[K]) Similarity(r, s Request) float64 {
	a, b := r.grams, s.grams
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	both, either := 0.0, 0.0
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].hash < b[0].hash:
			either += x.weight(a[0])
			a = a[1:]
		case len(a) == 0 || b[0].hash < a[0].hash:
			either += x.weight(b[0])
			b = b[1:]
		default:
			w := x.weight(a[0])
			both, either = both+w, either+w
			a, b = a[1:], b[1:]
		}
	}
	if either == 0 {
		return 0
	}
	return both / either
}

// Candidates returns the keys of all requests whose Similarity to r can reach least, and of some others, at most most.
// A request of that similarity shares at least that part of the weight of r. So it shares one of the heaviest grams
// that together exceed the rest (prefix filter: Chaudhuri, Ganti and Kaushik, "A Primitive Operator for Similarity
// Joins", 2006). Their lists are the shortest.
func (x *Requests[K]) Candidates(r Request, least float64, most int) []K {
	type weighed struct {
		hash   uint64
		weight float64
	}
	total, grams := 0.0, make([]weighed, len(r.grams))
	for i, g := range r.grams {
		grams[i] = weighed{g.hash, x.weight(g)}
		total += grams[i].weight
	}
	slices.SortFunc(grams, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight),
			cmp.Compare(a.hash, b.hash))
	})
	var out []K
	seen := map[K]bool{}
	taken := 0.0
	for _, g := range grams {
		if taken > total*(1-least)+1e-9 {
			break
		}
		taken += g.weight
		for _, key := range slices.Backward(x.keys[g.hash]) { // the newest first
			if len(out) == most {
				return out
			}
			if !seen[key] {
				seen[key] = true
				out = append(out, key)
			}
		}
	}
	return out
}
