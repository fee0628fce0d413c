package index

import (
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Cover tells which share of the words in a file's name a text contains, with rare words counting
// more. Each share is in [0,1]: Path is for the whole path, Base for the base name, and TitlePath
// for the whole path and the title of the text alone. Scope is the share of the words of Text.Scope
// that the path has.
type Cover struct{ Path, Base, TitlePath, Scope float64 }

// Cover returns how much of the name of a file a text contains.
func (c *Contents) Cover(p event.Path, t Text) (v Cover) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	path, base := pathWords(p)
	v.Path, v.TitlePath = c.cover(path, t.Body), c.cover(path, t.Title)
	v.Base = c.cover(base, t.Body)
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

// TextOf returns a Text that has only these words and identifiers, without title or frames.
func TextOf(words, identifiers []string) Text {
	all := map[string]int{}
	for _, w := range words {
		all[Stem(w)]++
	}
	stems := counts(all)
	return Text{Title: stems, Body: stems, Identifiers: identifiers, TitleIdentifiers: identifiers, Words: len(words)}
}
