package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Found is a file that was found by what it says, with a weight: the higher the better.
type Found struct {
	Path   event.Path
	Weight float64
	Words  []string // some of the words or identifiers that found it, at most 3
}

// The constants of BM25, as everywhere.
const (
	bmSaturation = 1.2
	bmLength     = 0.75
)

// Words finds the n files that say these words (see Terms) most tellingly, by BM25; ties by path.
func (c *Contents) Words(terms []string, n int) []Found {
	c.mu.RLock()
	defer c.mu.RUnlock()
	files := float64(len(c.files))
	if files == 0 {
		return nil
	}
	mean := c.length/files + 1e-9
	t := c.tally()
	for i, term := range terms {
		id, known := c.words.ids[term]
		if !known || common(len(c.words.users[id]), len(c.files)) {
			continue
		}
		with := float64(len(c.words.users[id]))
		rare := math.Log(1 + (files-with+.5)/(with+.5))
		for _, u := range c.words.users[id] {
			tf := u.times()
			t.add(u.of(), i, rare*tf*(1+bmSaturation)/(tf+bmSaturation*(1-bmLength+bmLength*c.said[u.of()].length/mean)))
		}
	}
	return t.best(n, terms)
}

// Identifiers finds the n files that have one of the identifiers (see the function Identifiers), each worth 1/√(files
// that have it).
func (c *Contents) Identifiers(names []string, n int) []Found {
	c.mu.RLock()
	defer c.mu.RUnlock()
	t := c.tally()
	for i, name := range names {
		users := c.idents.having(name, rareIdent)
		for _, u := range users {
			t.add(u.of(), i, 1/math.Sqrt(float64(len(users))))
		}
	}
	return t.best(n, names)
}

// Alike finds the n files that share rare identifiers with a file (what it calls, what calls it), each worth
// 1/(number of the others that have it).
func (c *Contents) Alike(p event.Path, n int) []Found {
	c.mu.RLock()
	defer c.mu.RUnlock()
	self, known := c.files[p]
	if !known {
		return nil
	}
	t := c.tally()
	idents := c.said[self].idents
	names := make([]string, min(len(idents), maxFollowed))
	for i := range names {
		word := idents[i].of()
		names[i] = c.idents.names[word]
		if users := c.idents.users[word]; len(users) <= sharedBy {
			for _, u := range users {
				if u.of() != self {
					t.add(u.of(), i, 1/float64(len(users)-1))
				}
			}
		}
	}
	return t.best(n, names)
}

// Identifiers finds the names in a text that may be identifiers of a program, in plain form (maxItems, max_items and
// MAX_ITEMS are one), each once, at most max.
func Identifiers(text string, max int) []string {
	var names []string
	for token := range strings.FieldsFuncSeq(text, notIdent) {
		if len(names) == max {
			break
		}
		if len(token) >= minIdent && len(token) <= maxIdent {
			if name := plainIdent(token); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// tally adds up weights by file.
type tally struct {
	c     *Contents
	at    []uint32 // by number of the file: 1 + its place in files, 0: none yet
	files []found
}

type found struct {
	file   uint32
	weight float64
	words  [3]int16 // 1 + number of a word, 0: none
}

// tallies are those of questions that were answered: a table of all files is cleared sooner where it was written to than made.
var tallies = sync.Pool{New: func() any { return &tally{} }}

func (c *Contents) tally() *tally {
	t := tallies.Get().(*tally)
	t.c = c
	if len(t.at) < len(c.said) {
		t.at = make([]uint32, len(c.said)+len(c.said)/4)
	}
	return t
}

func (t *tally) add(file uint32, word int, weight float64) {
	i := t.at[file]
	if i == 0 {
		t.files = append(t.files, found{file: file})
		i = uint32(len(t.files))
		t.at[file] = i
	}
	f := &t.files[i-1]
	f.weight += weight
	for k := range f.words {
		if f.words[k] == 0 {
			f.words[k] = int16(word + 1)
			break
		}
	}
}

// best are the n heaviest, ties by path. The tally is over then.
func (t *tally) best(n int, names []string) []Found {
	order := func(a, b found) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(t.c.said[a.file].path, t.c.said[b.file].path))
	}
	top := make([]found, 0, n+1)
	for _, f := range t.files {
		t.at[f.file] = 0
		if len(top) == n && (n == 0 || order(f, top[n-1]) > 0) {
			continue
		}
		i, _ := slices.BinarySearchFunc(top, f, order)
		top = slices.Insert(top, i, f)
		top = top[:min(len(top), n)]
	}
	out := make([]Found, len(top))
	for i, f := range top {
		out[i] = Found{Path: t.c.said[f.file].path, Weight: f.weight}
		for _, w := range f.words {
			if w > 0 {
				out[i].Words = append(out[i].Words, names[w-1])
			}
		}
	}
	t.c, t.files = nil, t.files[:0]
	tallies.Put(t)
	return out
}
