package index

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Aspect is one way in which a file can fit a text.
type Aspect int

// The aspects. Those of words are BM25 of the words of the text, or of its title (the first line), against a field of the file, a word
// of the text counting the square root of its number. Defines and Uses are Σ ln(1+N/n)/√n over identifiers of the text that look
// like code, n the number of files that define it, or have it, of N.
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
	return [Aspects]string{"text_path", "text_base", "text_definitions", "text_prose", "text_body", "title_path", "title_base",
		"title_definitions", "title_prose", "title_body", "defines", "uses", "title_defines", "title_uses"}[a]
}

// Fit is how a file fits a text.
type Fit struct {
	Path event.Path
	Kind Kind
	// Share is the value of each aspect relative to the best file of the same kind; Place is 1/√r of the r-th best of its kind, 0 behind
	// the first 64. Both are in [0,1].
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
	n := len(c.documents)
	if n == 0 {
		return nil
	}
	values := make([][]float32, Aspects)
	back := make([]float32, int(Aspects)*n)
	for a := range values {
		values[a] = back[a*n : (a+1)*n]
	}
	text, title := c.weigh(t.Body), c.weigh(t.Title)
	for f := range fields {
		c.addWords(values[TextPath+Aspect(f)], f, text)
		c.addWords(values[TitlePath+Aspect(f)], f, title)
	}
	c.addNames(values[Defines], &c.definitions, t.Identifiers)
	c.addNames(values[Uses], &c.identifiers, t.Identifiers)
	c.addNames(values[TitleDefines], &c.definitions, t.TitleIdentifiers)
	c.addNames(values[TitleUses], &c.identifiers, t.TitleIdentifiers)
	fits := map[uint32]*Fit{}
	var chosen []uint32
	at := func(file uint32) *Fit {
		fit := fits[file]
		if fit == nil {
			fit = &Fit{Path: c.documents[file].path, Kind: c.documents[file].kind}
			fits[file] = fit
			chosen = append(chosen, file)
		}
		return fit
	}
	var best [Aspects][kindCount]float32
	var tops [Aspects][kindCount][]scored
	for a := range Aspects {
		tops[a] = c.tops(values[a])
		for k, top := range tops[a] {
			if len(top) > 0 {
				best[a][k] = top[0].value
			}
			for _, s := range top[:min(len(top), firstPlaces)] {
				at(s.file)
			}
		}
	}
	for a := range Aspects {
		for _, top := range tops[a] {
			place := 0
			for i, s := range top {
				if i > 0 && s.value < top[i-1].value {
					place = i
				}
				if fit := fits[s.file]; fit != nil {
					fit.Place[a] = 1 / math.Sqrt(float64(1+place))
				}
			}
		}
	}
	out := make([]Fit, 0, len(chosen))
	for _, file := range chosen {
		fit := fits[file]
		for a := range Aspects {
			if most := best[a][fit.Kind]; most > 0 {
				fit.Share[a] = float64(values[a][file] / most)
			}
		}
		fit.Words = c.telling(file, text, t.Identifiers)
		out = append(out, *fit)
	}
	return out
}

// asked is a word of a text and what it counts.
type asked struct {
	word   string
	weight float64
}

// weigh returns the words of a text, the rarest in bodies first.
func (c *Contents) weigh(counts []Count) []asked {
	out := make([]asked, 0, len(counts))
	for _, w := range counts {
		if len(c.fields[bodyField].having(w.Stem))+len(c.fields[pathField].having(w.Stem)) > 0 {
			out = append(out, asked{w.Stem, math.Sqrt(float64(w.N))})
		}
	}
	slices.SortFunc(out, func(a, b asked) int {
		return cmp.Or(cmp.Compare(len(c.fields[bodyField].having(a.word)), len(c.fields[bodyField].having(b.word))), strings.Compare(a.word, b.word))
	})
	return out[:min(len(out), maxTextWords)]
}

func (c *Contents) addWords(values []float32, f field, words []asked) {
	v := &c.fields[f]
	files := float64(len(c.numbers))
	mean := c.lengths[f]/files + 1e-9
	for _, w := range words {
		having := v.having(w.word)
		if len(having) == 0 {
			continue
		}
		weight := w.weight * idf(files, float64(len(having)))
		for _, p := range having {
			values[p.number()] += float32(weight * bm25(p.count(), c.documents[p.number()].lengths[f], mean))
		}
	}
}

func (c *Contents) addNames(values []float32, v *vocabulary, names []string) {
	files := float64(len(c.numbers))
	for _, name := range names {
		having := v.atMost(name, maxOwners)
		if len(having) == 0 {
			continue
		}
		weight := float32(math.Log1p(files/float64(len(having))) / math.Sqrt(float64(len(having))))
		for _, p := range having {
			values[p.number()] += weight
		}
	}
}

type scored struct {
	file  uint32
	value float32
}

// tops returns the best files of each kind, at most maxPlaces each, best first, ties by path.
func (c *Contents) tops(values []float32) (out [kindCount][]scored) {
	order := func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.value, a.value), strings.Compare(string(c.documents[a.file].path), string(c.documents[b.file].path)))
	}
	for file, v := range values {
		if v <= 0 {
			continue
		}
		top := &out[c.documents[file].kind]
		s := scored{uint32(file), v}
		if len(*top) == maxPlaces && order(s, (*top)[maxPlaces-1]) > 0 {
			continue
		}
		i, _ := slices.BinarySearchFunc(*top, s, order)
		*top = slices.Insert(*top, i, s)
		*top = (*top)[:min(len(*top), maxPlaces)]
	}
	return out
}

// telling returns the rarest words and identifiers of the text that a file has, at most 3.
func (c *Contents) telling(file uint32, words []asked, names []string) (out []string) {
	for _, name := range names {
		if len(out) < 2 && has(c.identifiers.having(name), file) {
			out = append(out, name)
		}
	}
	for _, w := range words {
		if len(out) == 3 {
			break
		}
		if has(c.fields[bodyField].having(w.word), file) {
			out = append(out, w.word)
		}
	}
	return out
}

func has(list []posting, file uint32) bool {
	return slices.ContainsFunc(list, func(p posting) bool { return p.number() == file })
}

// Cover is which share of the words of a name a text says, by their rarity, in [0,1]: of the whole path, of the base name; the same
// of the title alone.
type Cover struct{ Path, Base, TitlePath, TitleBase float64 }

// Cover returns the share of the words of a file's name that a text says.
func (c *Contents) Cover(p event.Path, t Text) (v Cover) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	path, base := pathWords(p)
	v.Path, v.TitlePath = c.cover(path, t.Body), c.cover(path, t.Title)
	v.Base, v.TitleBase = c.cover(base, t.Body), c.cover(base, t.Title)
	return v
}

func (c *Contents) cover(words, said []Count) float64 {
	all, covered := 1.0, 0.0
	for _, w := range words {
		r := Rarity(len(c.numbers), len(c.fields[pathField].having(w.Stem)))
		all += r
		if _, found := slices.BinarySearchFunc(said, w.Stem, func(c Count, stem string) int { return strings.Compare(c.Stem, stem) }); found {
			covered += r
		}
	}
	return covered / all
}

// pathWords returns the words of a path and those of its name without the extension.
func pathWords(p event.Path) (path, base []Count) {
	name, _, _ := strings.Cut(strings.TrimLeft(p.Base(), "."), ".")
	all, own := map[string]int{}, map[string]int{}
	for word := range split(name, false) {
		if stem := textStem(word); stem != "" {
			all[stem]++
			own[stem]++
		}
	}
	for word := range split(p.Dir(), false) {
		if stem := textStem(word); stem != "" {
			all[stem]++
		}
	}
	return counts(all), counts(own)
}

// TextOf returns the text of which only words and identifiers are known.
func TextOf(words, identifiers []string) Text {
	all := map[string]int{}
	for _, w := range words {
		all[Stem(w)]++
	}
	stems := counts(all)
	return Text{Title: stems, Body: stems, Identifiers: identifiers, TitleIdentifiers: identifiers, Words: len(words)}
}
