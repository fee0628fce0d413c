package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Aspect is one way in which a file can fit a text. It is an index of Fit.Share and Fit.Place.
type Aspect int

// The aspects. TextBase to TitleBody are BM25 scores of the words of the text, or of its title (the
// first line), against one field of the file; a word that the text has n times counts √n. Uses and
// TitleDefines are Σ ln(1+N/n)/√n over the identifiers of the text, or of its title, that look like
// code: of N files, n have the identifier, or define it. The other fields of either one add nothing
// to these (docs/dev/measurements/ranking.md).
const (
	TextBase Aspect = iota
	TextProse
	TextBody
	TitlePath
	TitleDefinitions
	TitleBody
	Uses
	TitleDefines
	Aspects // number of aspects
)

// besideBody has the aspect of each field but the body, which is compared with the text and with its
// title.
var besideBody = [bodyField]struct {
	aspect Aspect
	title  bool
}{{TitlePath, true}, {TextBase, false}, {TitleDefinitions, true}, {TextProse, false}}

// Fit tells how well a file fits a text.
type Fit struct {
	Path event.Path
	Kind FileKind
	// Share is the value of each aspect relative to the best file of the same kind. Place is 1/√r
	// for the r-th best file of its kind, and 0 after the first 64. Both are in [0,1].
	Share, Place [Aspects]float64
	Words        []string // the stems and identifiers of the text that the file has: the rarest first, at most 3
}

// Limits of a match.
const (
	// For each aspect, the number of files of a kind that get a place.
	maxPlaces = 64
	// A file among this many best of its kind, by any aspect, is a fit.
	firstPlaces = 24
	// Words of a text that are compared with the files: its rarest ones.
	maxTextWords = 256
	// Identifiers that more files have are ignored.
	maxOwners = 60
)

// Match returns the files that fit a text best by any aspect, in no order.
func (c *Contents) Match(t Text) []Fit {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if len(c.files) == 0 {
		return nil
	}
	m := matches.Get().(*match)
	defer m.end()
	m.begin(c)
	words := c.weigh(t)
	m.addWords(words)
	names := c.ask(t)
	m.addNames(names)
	tops := m.tops()
	m.choose(tops)
	m.tell(names)
	out := make([]Fit, 0, len(m.fits))
	for file, f := range m.fits {
		for a := range Aspects {
			if top := tops[a][f.Kind]; len(top) > 0 {
				f.Share[a] = float64(m.values[a][file] / top[0].value)
			}
		}
		for _, w := range m.words[file][:m.noted[file]] {
			if len(f.Words) < 3 {
				f.Words = append(f.Words, words[w].word)
			}
		}
		out = append(out, *f)
	}
	return out
}

// match adds up the values of the files for one text. Files are numbered across all segments.
type match struct {
	c      *Contents
	first  []uint32 // the number of the first file of each segment
	kinds  []byte
	values [Aspects][]float32 // all 0 when a question begins
	// How many words of each file are in words, at most 3; all 0 when a question begins.
	noted []uint8
	words [][3]uint16     // the rarest words of the text that the file has, as indices in the list of asked words
	fits  map[uint32]*Fit // by file
}

// matches pools the arrays of finished questions. Clearing them is cheaper than allocating them
// again.
var matches = sync.Pool{New: func() any { return &match{fits: map[uint32]*Fit{}} }}

func (m *match) begin(c *Contents) {
	m.c = c
	for _, s := range c.segments {
		m.first = append(m.first, uint32(len(m.kinds)))
		m.kinds = append(m.kinds, s.Kinds...)
	}
	files := len(m.kinds)
	if len(m.noted) < files {
		files += files / 8
		m.noted, m.words = make([]uint8, files), make([][3]uint16, files)
		back := make([]float32, int(Aspects)*files)
		for a := range m.values {
			m.values[a], back = back[:files:files], back[files:]
		}
	}
}

func (m *match) end() {
	for a := range m.values {
		clear(m.values[a][:len(m.kinds)])
	}
	clear(m.noted[:len(m.kinds)])
	clear(m.fits)
	m.c, m.first, m.kinds = nil, m.first[:0], m.kinds[:0]
	matches.Put(m)
}

// path returns the path of a file.
func (m *match) path(file uint32) event.Path {
	i := len(m.first) - 1
	for m.first[i] > file { // the largest segment is often the first, and there are few small ones
		i--
	}
	return m.c.segments[i].paths[file-m.first[i]]
}

// addWords adds the BM25 scores of the words to the values of the files.
func (m *match) addWords(words []asked) {
	files := float64(len(m.c.files))
	var means [fields]float64
	for f := range fields {
		means[f] = m.c.lengths[f]/files + 1e-9
	}
	for i := range words {
		w := &words[i]
		rarity := idf(files, float64(w.with[bodyField]))
		text, title := w.text*rarity, w.title*rarity
		var weights [bodyField]float64
		for f, x := range besideBody {
			weights[f] = w.text
			if x.title {
				weights[f] = w.title
			}
			weights[f] *= idf(files, float64(w.with[f]))
		}
		for k, list := range w.lists {
			s := m.c.segments[k]
			bodies, first, whole := s.Lengths[bodyField], m.first[k], s.live == s.size()
			for l := (wordList{rest: list}); l.next(len(bodies)); {
				if !whole && s.isGone(l.file) {
					continue
				}
				file := first + l.file
				if n := l.counts[bodyField]; n > 0 {
					if noted := m.noted[file]; noted < 3 {
						m.words[file][noted] = uint16(i)
						m.noted[file]++
					}
					v := bm25(float64(n), float64(bodies[l.file]), means[bodyField])
					m.values[TextBody][file] += float32(text * v)
					if w.title > 0 {
						m.values[TitleBody][file] += float32(title * v)
					}
				}
				if l.plain {
					continue
				}
				for f, n := range l.counts[:bodyField] {
					if n > 0 && weights[f] > 0 {
						v := bm25(float64(n), float64(s.Lengths[f][l.file]), means[f])
						m.values[besideBody[f].aspect][file] += float32(weights[f] * v)
					}
				}
			}
		}
	}
}

// addNames adds the rarity of the identifiers to the values of the files that define or use them.
func (m *match) addNames(names []askedName) {
	files := float64(len(m.c.files))
	weight := func(n int) float32 {
		if n == 0 || n > maxOwners {
			return 0
		}
		return float32(math.Log1p(files/float64(n)) / math.Sqrt(float64(n)))
	}
	for i := range names {
		n := &names[i]
		uses, defines := weight(n.files), weight(n.definers)
		if uses == 0 && defines == 0 {
			continue
		}
		for k, list := range n.lists {
			s := m.c.segments[k]
			for l := (nameList{rest: list}); l.next(s.size()); {
				if s.isGone(l.file) || uses == 0 && !l.defines() {
					continue
				}
				file := m.first[k] + l.file
				m.values[Uses][file] += uses
				if n.title && l.defines() {
					m.values[TitleDefines][file] += defines
				}
			}
		}
	}
}

// scored is a file with its value for one aspect.
type scored struct {
	file  uint32
	value float32
}

type tops [Aspects][kindCount][]scored

// tops returns the best files for each aspect and kind, at most maxPlaces each, best first. Equal
// values are ordered by path.
func (m *match) tops() *tops {
	out := &tops{}
	order := func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.value, a.value), strings.Compare(string(m.path(a.file)), string(m.path(b.file))))
	}
	for a := range Aspects {
		var last [kindCount]scored // the worst of the files that would still get a place
		var lastPath [kindCount]event.Path
		for file, v := range m.values[a][:len(m.kinds)] {
			kind := m.kinds[file]
			if v <= 0 || v < last[kind].value {
				continue
			}
			s := scored{uint32(file), v}
			if v == last[kind].value && m.path(s.file) > lastPath[kind] { // many files may have the same value
				continue
			}
			top := &out[a][kind]
			at, _ := slices.BinarySearchFunc(*top, s, order)
			*top = slices.Insert(*top, at, s)
			if *top = (*top)[:min(len(*top), maxPlaces)]; len(*top) == maxPlaces {
				last[kind] = (*top)[maxPlaces-1]
				lastPath[kind] = m.path(last[kind].file)
			}
		}
	}
	return out
}

// choose makes the best files of each list fits, and sets the places of all fits. Files with equal
// values get the same place.
func (m *match) choose(t *tops) {
	for a := range t {
		for k, top := range t[a] {
			for _, s := range top[:min(len(top), firstPlaces)] {
				if m.fits[s.file] == nil {
					m.fits[s.file] = &Fit{Path: m.path(s.file), Kind: FileKind(k)}
				}
			}
		}
	}
	for a := range t {
		for _, top := range t[a] {
			place := 0
			for i, s := range top {
				if i > 0 && s.value < top[i-1].value {
					place = i
				}
				if fit := m.fits[s.file]; fit != nil {
					fit.Place[a] = 1 / math.Sqrt(float64(1+place))
				}
			}
		}
	}
}

// tell adds the first two identifiers of the text that each fit has to its Words.
func (m *match) tell(names []askedName) {
	for i := range names {
		for k, list := range names[i].lists {
			for l := (nameList{rest: list}); l.next(m.c.segments[k].size()); {
				if fit := m.fits[m.first[k]+l.file]; fit != nil && len(fit.Words) < 2 {
					fit.Words = append(fit.Words, names[i].name)
				}
			}
		}
	}
}
