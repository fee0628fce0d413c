package rank

import (
	"sync"

	"github.com/aoa-dev/aoa/internal/index"
)

// fitCache keeps the fits of the newest texts: between the calls of a session the prompt is the same, and few files
// change. An answer is the same with it and without, once the index knows what was saved.
type fitCache struct {
	mu      sync.Mutex
	entries [maxFitTexts]fitEntry
	next    int // the entry that is replaced next
}

// maxFitTexts is the number of texts that are kept, some 30 KB each.
const maxFitTexts = 16

// fitEntry is the fits of a text in one state of the files.
type fitEntry struct {
	text            string
	tree            *index.Tree
	contents        *index.Contents
	files, contains uint64 // versions of both
	fits            []TextFit
}

// get returns the fits of a text, which find computes where they are not known. Who gets them changes nothing in them.
func (c *fitCache) get(x *queryContext, text string, find func() []TextFit) []TextFit {
	now := fitEntry{text: text, tree: x.tree, contents: x.contents, files: x.tree.Version()}
	if x.contents != nil {
		now.contains = x.contents.Version()
	}
	c.mu.Lock()
	for i := range c.entries {
		e := &c.entries[i]
		if e.text == now.text && e.tree == now.tree && e.contents == now.contents && e.files == now.files &&
			e.contains == now.contains {
			c.mu.Unlock()
			return e.fits
		}
	}
	c.mu.Unlock()
	now.fits = find()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[c.next] = now
	c.next = (c.next + 1) % maxFitTexts
	return now.fits
}
