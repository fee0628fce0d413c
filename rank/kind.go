package rank

import (
	"math"

	"github.com/aoa-dev/aoa/internal/index"
)

// kind is what a file is for.
type kind uint8

const (
	tests kind = 1 << iota
	documents
)

// manyWords is how many words make a file as large as it counts.
const manyWords = 10_000.0

// asks are the stems of words by which a text asks for a kind of file.
var asks = func() map[string]kind {
	stems := map[string]kind{}
	for word, k := range map[string]kind{"test": tests, "spec": tests, "coverage": tests, "e2e": tests,
		"doc": documents, "document": documents, "documentation": documents, "readme": documents, "plan": documents,
		"markdown": documents, "guide": documents, "changelog": documents} {
		stems[index.Stem(word)] = k
	}
	return stems
}()

// kinds fills in the signals of what kind of file is wanted, and how large the file is.
func (x *queryContext) kinds(c *candidate) {
	if x.kindShares == nil {
		x.weighKinds()
	}
	v := &c.values
	v[KindShare] = unit(x.kindShares[c.label.kind])
	if v[Test] > 0 {
		v[LateTest] = truth(x.edited)
	}
	if v[Document] > 0 {
		v[EarlyDocument] = 1 / float64(1+x.turn)
	}
	if x.contents != nil {
		v[Size] = unit(math.Log1p(x.contents.Size(c.path)) / math.Log1p(manyWords))
	}
}

// weighKinds finds what kinds the files opened last were of, each counting 0.8 of the one after it, and what the prompt wants.
func (x *queryContext) weighKinds() {
	x.kindShares = map[string]float64{}
	w, all := 1.0, 0.0
	for _, f := range x.latest {
		x.kindShares[x.labels.of(f).kind] += w
		all, w = all+w, w*folderFade
	}
	for k := range x.kindShares {
		x.kindShares[k] /= all
	}
}
