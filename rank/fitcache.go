package rank

import (
	"sync"

	"github.com/aoa-dev/aoa/internal/index"
)

// fitCache keeps the fits of the newest texts: between the calls of a session the prompt is the
// same, and few files change. An answer is the same with it and without, once the index knows what
// was saved. Fits of an earlier state of the files are of no use, and would keep its tree in
// memory: each commit makes a new one.
type fitCache struct {
	mu      sync.Mutex
	of      filesState // that the entries were computed in
	entries [maxFitTexts]fitEntry
	next    int // the entry that is replaced next
}

// maxFitTexts is the number of texts that are kept, some 30 KB each.
const maxFitTexts = 16

// filesState is one state of the files.
type filesState struct {
	tree            *index.Tree
	contents        *index.Contents
	files, contains uint64 // versions of both
}

// fitEntry is the fits of a text.
type fitEntry struct {
	text string
	fits []TextFit
}

// get returns the fits of a text, which find computes where they are not known. Who gets them
// changes nothing in them.
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
