package index

import (
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Cover is which share of the words of a name a text says, by their rarity, in [0,1]: of the whole
// path, of the base name; the same of the title alone. Scope is which share of the words of
// Text.Scope the path has.
type Cover struct{ Path, Base, TitlePath, TitleBase, Scope float64 }

// Cover returns the share of the words of a file's name that a text says.
func (c *Contents) Cover(p event.Path, t Text) (v Cover) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	path, base := pathWords(p)
	v.Path, v.TitlePath = c.cover(path, t.Body), c.cover(path, t.Title)
	v.Base, v.TitleBase = c.cover(base, t.Body), c.cover(base, t.Title)
	v.Scope = c.cover(t.Scope, path)
	return v
}

func (c *Contents) cover(words, said []Count) float64 {
	all, covered := 1.0, 0.0
	for _, w := range words {
		r := Rarity(len(c.files), int(c.named[w.Stem]))
		all += r
		if _, found := slices.BinarySearchFunc(said, w.Stem, compareCount); found {
			covered += r
		}
	}
	return covered / all
}

// pathWords returns the words of a path and those of its name without the extension.
func pathWords(p event.Path) (path, base []Count) {
	name, _, _ := strings.Cut(strings.TrimLeft(p.Base(), "."), ".")
	all, own := map[string]int{}, map[string]int{}
	for stem := range stemsOf(name) {
		all[stem]++
		own[stem]++
	}
	for stem := range stemsOf(p.Dir()) {
		all[stem]++
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
