package rank

import (
	"math"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/index"
)

// kind is what a file is for.
type kind uint8

const (
	tests kind = 1 << iota
	documents
	upkeep // manifests, lock files, settings of tools
)

// manyWords is how many words make a file as large as it counts.
const manyWords = 10_000.0

// asks are the stems of words by which a text asks for a kind of file.
var asks = func() map[string]kind {
	stems := map[string]kind{}
	for k, words := range map[kind]string{
		tests:     "test spec coverage e2e",
		documents: "doc document documentation readme plan markdown guide changelog",
		upkeep: "dependency dependencies deps dependabot renovate tidy upgrade downgrade bump package manifest lockfile " +
			"version release changelog license lint linter ci travis workflow action pipeline npm pnpm yarn pip poetry cargo " +
			"maven gradle",
	} {
		for word := range strings.FieldsSeq(words) {
			stems[index.Stem(word)] |= k
		}
	}
	return stems
}()

// askedBy returns the kinds of files that a text asks for.
func askedBy(t index.Text) (k kind) {
	for _, w := range t.Body {
		k |= asks[w.Stem]
	}
	return k
}

// unasked reports whether the words of a question speak neither of such files nor of this one: of a manifest, a
// changelog or another document. That these were committed last says nothing: every commit may change them.
func (x *queryContext) unasked(l *label) bool {
	if len(x.words) == 0 || slices.ContainsFunc(l.words, func(w string) bool { return slices.Contains(x.words, w) }) {
		return false
	}
	return l.upkeep && x.asked&upkeep == 0 || l.document && x.asked&documents == 0
}

// kinds fills in the signals of what kind of file is wanted, and how large the file is.
func (x *queryContext) kinds(c *candidate) {
	v := &c.values
	v[Test] = truth(c.label.test)
	v[Upkeep] = truth(c.label.upkeep && x.asked&upkeep == 0)
	if x.contents != nil {
		v[Size] = unit(math.Log1p(x.contents.Size(c.path)) / math.Log1p(manyWords))
	}
}
