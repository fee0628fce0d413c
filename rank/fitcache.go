package rank

import (
	"sync"

	"github.com/aoa-dev/aoa/internal/index"
)

// fitCache caches the fits of the newest texts, because between two calls of a session the prompt
// is the same and few files change. Answers are the same as without the cache, once the index has
// read what was saved. Fits from an earlier state of the files are dropped, because they are of no
// use and would keep the tree of that state in memory; each commit makes a new tree.
type fitCache struct {
	mu      sync.Mutex
	of      filesState // the state for which the entries were computed
	entries [maxFitTexts]fitEntry
	next    int // index of the entry that is replaced next
}

// maxFitTexts is the number of texts in the cache. Each takes some 30 KB.
const maxFitTexts = 16

// filesState identifies a state of the files.
type filesState struct {
	tree            *index.Tree
	contents        *index.Contents
	files, contains uint64 // Version of tree and of contents
}

// fitEntry has the fits of one text.
type fitEntry struct {
	text string
	fits []TextFit
}

// get returns the fits of a text. If the cache does not have them, find computes them. The caller
// must not change them.
func (c *fitCache) get(x *queryContext, text string, find func() []TextFit) []TextFit {
	now := filesState{tree: x.tree, contents: x.contents, files: x.tree.Version()}
	if x.contents != nil {
		now.contains = x.contents.Version()
	}
	c.mu.Lock()
	if c.of != now {
		c.of, c.entries = now, [maxFitTexts]fitEntry{}
	}
	for _, e := range c.entries {
		if e.text == text && e.fits != nil {
			c.mu.Unlock()
			return e.fits
		}
	}
	c.mu.Unlock()
	fits := find()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == now {
		c.entries[c.next] = fitEntry{text, fits}
		c.next = (c.next + 1) % maxFitTexts
	}
	return fits
}
