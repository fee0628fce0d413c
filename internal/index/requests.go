package index

import (
	"math"
	"slices"
)

// Requests counts in how many requests each gram occurs, because rare grams weigh more. It is not
// safe for concurrent use.
type Requests struct {
	with map[uint64]int // by hash of a gram: number of requests that have it
	n    int
}

// NewRequests returns a Requests that has counted none.
func NewRequests() *Requests { return &Requests{with: map[uint64]int{}} }

// Add counts a request.
func (x *Requests) Add(r Request) {
	x.n++
	for _, g := range r.grams {
		x.with[g.hash]++
	}
}

// Remove undoes an Add of the same request.
func (x *Requests) Remove(r Request) {
	x.n--
	for _, g := range r.grams {
		if x.with[g.hash]--; x.with[g.hash] == 0 {
			delete(x.with, g.hash)
		}
	}
}

// The weight of a gram is gramShare[words]·ln((n+prior+1)/(with+own+1)), where with of the n
// requests have the gram. prior and own stand for requests made elsewhere, many of which have the
// weak words: three requests are too few to learn that "fix" says little.
const (
	priorRequests = 60.0
	priorWeak     = 24.0
)

var gramShare = [4]float64{0, 1, 0.12, 0.05}

func (x *Requests) weight(g gram) float64 {
	own := 0.0
	if g.weak {
		own = priorWeak / float64(g.size)
	}
	return gramShare[g.size] * math.Log((float64(x.n)+priorRequests+1)/(float64(x.with[g.hash])+own+1))
}

// Similarity compares two requests by their weighted Jaccard index, in [0,1]: the weight of the
// grams in both, divided by the weight of the grams in either. Two requests without words are
// equal.
func (x *Requests) Similarity(r, s Request) float64 { return x.jaccard(r.grams, s.grams) }

// KindSimilarity is like Similarity but leaves out numbers, versions and identifiers. It is 0 if
// the requests share no word that tells the kind of task.
func (x *Requests) KindSimilarity(r, s Request) float64 {
	says := slices.ContainsFunc(r.kind, func(g gram) bool { return g.task && slices.Contains(s.kind, g) })
	if !says {
		return 0
	}
	return x.jaccard(r.kind, s.kind)
}

func (x *Requests) jaccard(a, b []gram) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	both, only := 0.0, 0.0
	for _, g := range a {
		if _, found := slices.BinarySearchFunc(b, g, compareGram); found {
			both += x.weight(g)
		} else {
			only += x.weight(g)
		}
	}
	for _, g := range b {
		if _, found := slices.BinarySearchFunc(a, g, compareGram); !found {
			only += x.weight(g)
		}
	}
	if both == 0 {
		return 0
	}
	return both / (both + only)
}
