package rank

import (
	"math"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// kind is a set of purposes that files have.
type kind uint8

const (
	tests kind = 1 << iota
	documents
	upkeep // manifests, lock files, settings of tools
)

// manyWords is the number of words in a file at which the signal Size is 1.
const manyWords = 10_000.0

// asks has, for each kind of file, the stems of words by which a text asks for it.
var asks = kindStems(map[kind]string{
	tests:     "test spec coverage e2e",
	documents: "doc document documentation readme plan markdown guide changelog",
	upkeep: `dependabot renovate bump lockfile changelog lint linter ci travis npm pnpm yarn pip poetry cargo maven
		gradle`,
})

// mayAsk has words of the same sort that also occur in programs: a lock is released, and a request
// has a version. They ask for their kind of file only if no other word of the text names something
// in a source (queryContext.ofProgram).
var mayAsk = kindStems(map[kind]string{
	upkeep: "dependency dependencies deps tidy upgrade downgrade package manifest version release license workflow " +
		"action pipeline",
})

// errands are words that any request may have, so they do not tell what it is about.
var errands = func() map[string]bool {
	stems := map[string]bool{}
	for word := range strings.FieldsSeq("add change fix make new next prepare remove set update use") {
		stems[index.Stem(word)] = true
	}
	return stems
}()

func kindStems(words map[kind]string) map[string]kind {
	stems := map[string]kind{}
	for k, list := range words {
		for word := range strings.FieldsSeq(list) {
			stems[index.Stem(word)] |= k
		}
	}
	return stems
}

// askedBy returns the kinds of files that a text asks for. terms are the words of the text, see
// index.Terms.
func (x *queryContext) askedBy(t index.Text, terms []string) (k kind) {
	var may kind
	for _, w := range t.Body {
		k, may = k|asks[w.Stem], may|mayAsk[w.Stem]
	}
	if may&^k != 0 && !x.ofProgram(terms) {
		k |= may
	}
	return k
}

// ofProgram reports whether a text is about the program: one of its words is in the path of a
// source, or in a name that a source defines, and does not itself ask for a kind of file.
func (x *queryContext) ofProgram(terms []string) bool {
	return slices.ContainsFunc(terms, x.namesSource)
}

func (x *queryContext) namesSource(term string) bool {
	if errands[term] || asks[term]|mayAsk[term] != 0 {
		return false
	}
	source := func(p event.Path) bool { return index.KindOf(p) == index.KindSource && !p.Upkeep() }
	return slices.ContainsFunc(x.tree.Word(term), source) || x.contents != nil && x.contents.Defined(term)
}

// unasked reports whether a file is a manifest, a changelog or another document although the words
// of the question ask neither for such files nor for this one. That such a file was committed last
// tells nothing, because every commit may change it.
func (x *queryContext) unasked(l *label) bool {
	if len(x.words) == 0 || slices.ContainsFunc(l.words, func(w string) bool { return slices.Contains(x.words, w) }) {
		return false
	}
	return l.upkeep && x.asked&upkeep == 0 || l.file == index.KindProse && x.asked&documents == 0
}

// kinds sets the signals about the kind and the size of a file.
func (x *queryContext) kinds(c *candidate) {
	v := &c.values
	v[Test] = truth(c.label.file == index.KindTest)
	v[Upkeep] = truth(c.label.upkeep && x.asked&upkeep == 0)
	if x.contents != nil {
		v[Size] = unit(math.Log1p(x.contents.Size(c.path)) / math.Log1p(manyWords))
	}
}
