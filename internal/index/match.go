package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Aspect is one way in which a file can fit a text.
type Aspect int

// The aspects. Those of words are BM25 of the words of the text, or of its title (the first line),
// against a field of the file, a word of the text counting the square root of its number. Defines
// and Uses are Σ ln(1+N/n)/√n over identifiers of the text that look like code, n the number of
// files that define it, or have it, of N.
const (
	TextPath Aspect = iota
	TextBase
	TextDefinitions
	TextProse
	TextBody
	TitlePath
	TitleBase
	TitleDefinitions
	TitleProse
	TitleBody
	Defines
	Uses
	TitleDefines
	TitleUses
	Aspects // their number
)

// String is the name of the aspect.
func (a Aspect) String() string {
	return [Aspects]string{"text_path", "text_base", "text_definitions", "text_prose", "text_body", "title_path",
		"title_base",
		"title_definitions", "title_prose", "title_body", "defines", "uses", "title_defines", "title_uses"}[a]
}

// Fit is how a file fits a text.
type Fit struct {
	Path event.Path
	Kind FileKind
	// Share is the value of each aspect relative to the best file of the same kind. Place is 1/√r
	// of the r-th best of its kind, and 0 after the first 64. Both are in [0,1].
	Share, Place [Aspects]float64
	Words        []string // stems and identifiers that speak for it, the rarest first, at most 3
}

// Bounds of a match.
const (
	maxPlaces    = 64  // files of a kind that have a place, by aspect
	firstPlaces  = 24  // files of a kind whose place by any aspect makes them a fit
	maxTextWords = 256 // different words of a text, the rarest of it
	maxOwners    = 60  // an identifier in more files than this finds none
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
	out := make([]Fit, len(m.fits))
	for i := range m.fits {
		f := &m.fits[i]
		for a := range Aspects {
			if top := tops[a][f.Kind]; len(top) > 0 {
				f.Share[a] = float64(m.values[a][f.file] / top[0].value)
			}
		}
		for _, w := range m.words[f.file][:m.noted[f.file]] {
			if len(f.Words) < 3 {
				f.Words = append(f.Words, words[w].word)
			}
		}
		out[i] = f.Fit
	}
	return out
}

// match adds up what the files of an index get for a text. Files have numbers over all segments.
type match struct {
	c      *Contents
	first  []uint32 // the number of the first file of each segment
	kinds  []byte
	values [Aspects][]float32 // 0 at the beginning
	noted  []uint8            // how many words of a file are noted, at most 3; 0 at the beginning
	words  [][3]uint16        // the rarest words of its body, by number
	fits   []chosen
	fit    map[uint32]int // index in fits
}

// chosen is a fit and the number of its file.
type chosen struct {
	Fit
	file uint32
}

// matches keeps those of questions that were answered: to clear them is cheaper than to make them
// again.
var matches = sync.Pool{New: func() any { return &match{fit: map[uint32]int{}} }}

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
	clear(m.fit)
	m.c, m.first, m.kinds, m.fits = nil, m.first[:0], m.kinds[:0], nil
	matches.Put(m)
}

// path returns the path of a file.
func (m *match) path(file uint32) event.Path {
	i := len(m.first) - 1
	for m.first[i] > file { // the largest segment is often the first, and small ones are few
		i--
	}
	return m.c.segments[i].paths[file-m.first[i]]
}

// addWords adds BM25 of the words.
func (m *match) addWords(words []asked) {
	files := float64(len(m.c.files))
	var means [fields]float64
	for f := range fields {
		means[f] = m.c.lengths[f]/files + 1e-9
	}
	for i := range words {
		w := &words[i]
		var text, title [fields]float64
		for f := range fields {
			rarity := idf(files, float64(w.with[f]))
			text[f], title[f] = w.text*rarity, w.title*rarity
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
					if noted := m.noted[file]; noted < 3 && w.text > 0 {
						m.words[file][noted] = uint16(i)
						m.noted[file]++
					}
					v := bm25(float64(n), float64(bodies[l.file]), means[bodyField])
					m.values[TextBody][file] += float32(text[bodyField] * v)
					if w.title > 0 {
						m.values[TitleBody][file] += float32(title[bodyField] * v)
					}
				}
				if l.plain {
					continue
				}
				for f, n := range l.counts[:bodyField] {
					if n == 0 {
						continue
					}
					v := bm25(float64(n), float64(s.Lengths[f][l.file]), means[f])
					m.values[TextPath+Aspect(f)][file] += float32(text[f] * v)
					m.values[TitlePath+Aspect(f)][file] += float32(title[f] * v)
				}
			}
		}
	}
}

// addNames adds the rarity of the identifiers.
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
				for _, a := range [...]struct {
					asked         bool
					uses, defines Aspect
				}{{n.text, Uses, Defines}, {n.title, TitleUses, TitleDefines}} {
					if a.asked {
						m.values[a.uses][file] += uses
					}
					if a.asked && l.defines() {
						m.values[a.defines][file] += defines
					}
				}
			}
		}
	}
}

// scored is the value of a file by an aspect.
type scored struct {
	file  uint32
	value float32
}

type tops [Aspects][kindCount][]scored

// tops returns the best files by each aspect and of each kind, at most maxPlaces each, best first,
// ties by path.
func (m *match) tops() *tops {
	out := &tops{}
	order := func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.value, a.value), strings.Compare(string(m.path(a.file)), string(m.path(b.file))))
	}
	for a := range Aspects {
		var last [kindCount]scored // the last of maxPlaces
		var lastPath [kindCount]event.Path
		for file, v := range m.values[a][:len(m.kinds)] {
			kind := m.kinds[file]
			if v <= 0 || v < last[kind].value {
				continue
			}
			s := scored{uint32(file), v}
			if v == last[kind].value && m.path(s.file) > lastPath[kind] { // of equal files there may be many
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

// choose makes the first of each list fits, and gives fits their places. Equal files have the same.
func (m *match) choose(t *tops) {
	for a := range t {
		for k, top := range t[a] {
			for _, s := range top[:min(len(top), firstPlaces)] {
				if _, known := m.fit[s.file]; !known {
					m.fit[s.file] = len(m.fits)
					m.fits = append(m.fits, chosen{Fit{Path: m.path(s.file), Kind: FileKind(k)}, s.file})
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
				if fit, known := m.fit[s.file]; known {
					m.fits[fit].Place[a] = 1 / math.Sqrt(float64(1+place))
				}
			}
		}
	}
}

// tell gives the fits the first two identifiers that they have.
func (m *match) tell(names []askedName) {
	for i := range names {
		if !names[i].text {
			continue
		}
		for k, list := range names[i].lists {
			for l := (nameList{rest: list}); l.next(m.c.segments[k].size()); {
				if fit, known := m.fit[m.first[k]+l.file]; known && len(m.fits[fit].Words) < 2 {
					m.fits[fit].Words = append(m.fits[fit].Words, names[i].name)
				}
			}
		}
	}
}
