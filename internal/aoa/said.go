package aoa

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Found is a file that was found by what it says, with a weight: the higher the better.
type Found struct {
	Path   Path
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
			tf := float64(u.count)
			t.add(u.file, i, rare*tf*(1+bmSaturation)/(tf+bmSaturation*(1-bmLength+bmLength*c.said[u.file].length/mean)))
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
		id, known := c.idents.ids[name]
		if !known || len(c.idents.users[id]) > rareIdent {
			continue
		}
		for _, u := range c.idents.users[id] {
			t.add(u.file, i, 1/math.Sqrt(float64(len(c.idents.users[id]))))
		}
	}
	return t.best(n, names)
}

// Alike finds the n files that share rare identifiers with a file (what it calls, what calls it), each worth
// 1/(number of the others that have it).
func (c *Contents) Alike(p Path, n int) []Found {
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
		word := idents[i].word
		names[i] = c.idents.names[word]
		if users := c.idents.users[word]; len(users) <= sharedBy {
			for _, u := range users {
				if u.file != self {
					t.add(u.file, i, 1/float64(len(users)-1))
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
	at    map[uint32]int
	files []found
}

type found struct {
	file   uint32
	weight float64
	words  [3]int16 // 1 + number of a word, 0: none
}

func (c *Contents) tally() *tally { return &tally{c: c, at: map[uint32]int{}} }

func (t *tally) add(file uint32, word int, weight float64) {
	i, known := t.at[file]
	if !known {
		i = len(t.files)
		t.at[file] = i
		t.files = append(t.files, found{file: file})
	}
	f := &t.files[i]
	f.weight += weight
	if k := slices.Index(f.words[:], 0); k >= 0 {
		f.words[k] = int16(word + 1)
	}
}

func (t *tally) best(n int, names []string) []Found {
	slices.SortFunc(t.files, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(t.c.said[a.file].path, t.c.said[b.file].path))
	})
	out := make([]Found, min(n, len(t.files)))
	for i := range out {
		f := t.files[i]
		out[i] = Found{Path: t.c.said[f.file].path, Weight: f.weight}
		for _, w := range f.words {
			if w > 0 {
				out[i].Words = append(out[i].Words, names[w-1])
			}
		}
	}
	return out
}
