package index

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Hit is a file that a search finds.
type Hit struct {
	Path   event.Path
	Weight float64  // above 0, the higher the better; comparable within one answer
	Words  []string // some of the words or identifiers that found it, at most 3
}

// Bounds of a search.
const (
	maxSharing   = 20 // an identifier in more files than this finds none
	maxDefiners  = 6  // a name that more files define finds none
	maxCompared  = 40 // identifiers of a file by which files like it are searched …
	maxLikeUsers = 12 // … if at most this many files have them
	maxCalled    = 64 // identifiers of a file whose definitions are searched
)

// Identifiers finds the n files that have one of the identifiers (see the function Identifiers), each worth 1/√(files that have
// it).
func (c *Contents) Identifiers(names []string, n int) []Hit {
	c.mu.RLock()
	defer c.mu.RUnlock()
	sums := c.accumulate()
	for i, name := range names {
		having := c.identifiers.atMost(name, maxSharing)
		for _, f := range having {
			sums.add(f.number(), i, 1/math.Sqrt(float64(len(having))))
		}
	}
	return sums.best(n, names)
}

// Alike finds the n files that share rare identifiers with a file (what it calls, what calls it), each worth 1/(number of the
// other files that have it).
func (c *Contents) Alike(p event.Path, n int) []Hit {
	c.mu.RLock()
	defer c.mu.RUnlock()
	self, names := c.identifiersOf(p, maxCompared)
	sums := c.accumulate()
	for i, name := range names {
		having := c.identifiers.atMost(name, maxLikeUsers)
		for _, f := range having {
			if f.number() != self {
				sums.add(f.number(), i, 1/float64(len(having)-1))
			}
		}
	}
	return sums.best(n, names)
}

// Defining finds the n files that define one of the names (in plain form), each worth 1/(files that define it).
func (c *Contents) Defining(names []string, n int) []Hit {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.defining(names, n, math.MaxUint32)
}

// Called finds the n files that define what a file uses, each name worth 1/(files that define it).
func (c *Contents) Called(p event.Path, n int) []Hit {
	c.mu.RLock()
	defer c.mu.RUnlock()
	self, names := c.identifiersOf(p, maxCalled)
	return c.defining(names, n, self)
}

// defining is Defining without the file with the number self.
func (c *Contents) defining(names []string, n int, self uint32) []Hit {
	sums := c.accumulate()
	for i, name := range names {
		having := c.definitions.atMost(name, maxDefiners)
		for _, f := range having {
			if f.number() != self {
				sums.add(f.number(), i, 1/float64(len(having)))
			}
		}
	}
	return sums.best(n, names)
}

// identifiersOf returns the number of a file and its rarest identifiers that another file has too, at most most, none if the file is
// not known.
func (c *Contents) identifiersOf(p event.Path, most int) (self uint32, names []string) {
	self, known := c.numbers[p]
	if !known {
		return 0, nil
	}
	shared := make([]posting, 0, len(c.documents[self].identifiers))
	for _, f := range c.documents[self].identifiers {
		if len(c.identifiers.files[f.number()]) > 1 {
			shared = append(shared, f)
		}
	}
	slices.SortStableFunc(shared, func(a, b posting) int {
		return cmp.Or(cmp.Compare(len(c.identifiers.files[a.number()]), len(c.identifiers.files[b.number()])),
			cmp.Compare(c.identifiers.words[a.number()], c.identifiers.words[b.number()]))
	})
	for _, f := range shared[:min(len(shared), most)] {
		names = append(names, c.identifiers.words[f.number()])
	}
	return self, names
}

// accumulator adds up the weights of files.
type accumulator struct {
	documents []document
	at        []uint32 // by number of the file: 1 + its index in sums, 0 if it has none
	sums      []sum
}

type sum struct {
	file   uint32
	weight float64
	words  [3]int16 // 1 + index of a word, 0 for none
}

// accumulators keeps those of questions that were answered: at has an entry for each file, and to clear the entries that were
// used is cheaper than to make it again.
var accumulators = sync.Pool{New: func() any { return &accumulator{} }}

func (c *Contents) accumulate() *accumulator {
	a := accumulators.Get().(*accumulator)
	a.documents = c.documents
	if len(a.at) < len(c.documents) {
		a.at = make([]uint32, len(c.documents)+len(c.documents)/4)
	}
	return a
}

func (a *accumulator) add(file uint32, word int, weight float64) {
	i := a.at[file]
	if i == 0 {
		a.sums = append(a.sums, sum{file: file})
		i = uint32(len(a.sums))
		a.at[file] = i
	}
	s := &a.sums[i-1]
	s.weight += weight
	for k := range s.words {
		if s.words[k] == 0 {
			s.words[k] = int16(word + 1)
			break
		}
	}
}

// best returns the n files with the highest sums, ties by path, and gives the accumulator back.
func (a *accumulator) best(n int, words []string) []Hit {
	order := func(x, y sum) int {
		return cmp.Or(cmp.Compare(y.weight, x.weight), cmp.Compare(a.documents[x.file].path, a.documents[y.file].path))
	}
	top := make([]sum, 0, n+1)
	for _, s := range a.sums {
		a.at[s.file] = 0
		if len(top) == n && (n == 0 || order(s, top[n-1]) > 0) {
			continue
		}
		i, _ := slices.BinarySearchFunc(top, s, order)
		top = slices.Insert(top, i, s)
		top = top[:min(len(top), n)]
	}
	hits := make([]Hit, len(top))
	for i, s := range top {
		hits[i] = Hit{Path: a.documents[s.file].path, Weight: s.weight}
		for _, w := range s.words {
			if w > 0 {
				hits[i].Words = append(hits[i].Words, words[w-1])
			}
		}
	}
	a.documents, a.sums = nil, a.sums[:0]
	accumulators.Put(a)
	return hits
}
