package index

import (
	"bytes"
	"iter"
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Contents is an index of what files say: of each file at most 256 words, 64 identifiers and 96 names that it defines, never its
// text. It holds the files as they are now, in memory only. It is safe for concurrent use.
type Contents struct {
	maxFiles int

	mu          sync.RWMutex // guards what follows
	numbers     map[event.Path]uint32
	documents   []document // by number
	free        []uint32   // numbers of no file
	words       vocabulary
	identifiers vocabulary
	definitions vocabulary
	length      float64 // sum of the lengths of all documents
}

// document is what is kept of a file.
type document struct {
	path        event.Path
	words       []posting
	identifiers []posting
	definitions []posting
	size        float64 // words of the whole text
	length      float64 // sum of the counts of words
}

// Bounds of what is kept. Together they bound the postings: 416 for each file, in both directions, 4 bytes each.
const (
	MaxFileSize    = 256 << 10 // bytes of a file; longer ones are taken for data
	maxFiles       = 1 << 15   // a new file beyond them is not kept
	maxVocabulary  = 1 << 20   // words, identifiers and definitions, each; a new one beyond them is not kept
	maxWords       = 256       // of a file
	maxIdentifiers = 64        // of a file
	maxWordParts   = 8         // words of an identifier
)

// Bounds of what distinguishes files.
const (
	commonShare  = 0.25 // a word in more than this share of the files does not …
	commonAtMost = 20   // … if there are more files than this
)

// Bounds of one step of a removal.
const (
	minRemoval      = 256 // files of a step at least
	maxRemovalSteps = 16
)

// NewContents returns an index of no file.
func NewContents() *Contents { return newContents(maxFiles, maxVocabulary) }

func newContents(files, words int) *Contents {
	return &Contents{maxFiles: files, numbers: map[event.Path]uint32{},
		words: newVocabulary(words), identifiers: newVocabulary(words), definitions: newVocabulary(words)}
}

// Len returns the number of files.
func (c *Contents) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.numbers)
}

// Size returns how many words a file has, 0 if it is not known.
func (c *Contents) Size(p event.Path) float64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if n, known := c.numbers[p]; known {
		return c.documents[n].size
	}
	return 0
}

// Set replaces what a file says. A text that is longer than MaxFileSize or has a zero byte says nothing. What is kept depends on
// the files before: a word distinguishes this file from them or not.
func (c *Contents) Set(p event.Path, text []byte) {
	words, identifiers := count(text)
	var defined []string
	if len(words) > 0 && !isProse(p) {
		defined = definitions(text)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(p)
	if len(words) == 0 || len(c.numbers) >= c.maxFiles {
		return
	}
	n := uint32(len(c.documents))
	if last := len(c.free) - 1; last >= 0 {
		n, c.free = c.free[last], c.free[:last]
	} else {
		c.documents = append(c.documents, document{})
	}
	d := document{path: p, definitions: c.definitions.addAll(n, defined),
		words:       c.words.addRarest(n, words, len(c.numbers), maxWords),
		identifiers: c.identifiers.addRarest(n, identifiers, len(c.numbers), maxIdentifiers)}
	for _, k := range words {
		d.size += float64(k)
	}
	for _, w := range d.words {
		d.length += w.count()
	}
	c.documents[n], c.numbers[p] = d, n
	c.length += d.length
}

// Remove forgets files. Many files are removed in steps, between which questions are answered.
func (c *Contents) Remove(paths ...event.Path) {
	for step := range removalSteps(paths) {
		c.removeStep(step)
	}
}

func (c *Contents) removeStep(paths []event.Path) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(paths...)
	c.shrink()
}

// removalSteps divides files into steps. A step reads the lists of all words of its files: few steps keep the cost of a removal
// linear, and small ones keep questions from waiting.
func removalSteps(paths []event.Path) iter.Seq[[]event.Path] {
	return slices.Chunk(paths, max(minRemoval, (len(paths)+maxRemovalSteps-1)/maxRemovalSteps))
}

func (c *Contents) remove(paths ...event.Path) {
	var words, identifiers, definitions []posting
	for _, p := range paths {
		n, known := c.numbers[p]
		if !known {
			continue
		}
		d := &c.documents[n]
		words, identifiers, definitions = append(words, d.words...), append(identifiers, d.identifiers...), append(definitions, d.definitions...)
		c.length -= d.length
		*d = document{}
		delete(c.numbers, p)
		c.free = append(c.free, n)
	}
	gone := func(file uint32) bool { return c.documents[file].path == "" }
	c.words.remove(words, gone)
	c.identifiers.remove(identifiers, gone)
	c.definitions.remove(definitions, gone)
}

// shrink frees the memory of words that no file has any more, if most of it is free.
func (c *Contents) shrink() {
	words, identifiers, definitions := c.words.shrink(), c.identifiers.shrink(), c.definitions.shrink()
	for _, d := range c.documents {
		renumber(d.words, words)
		renumber(d.identifiers, identifiers)
		renumber(d.definitions, definitions)
	}
}

// count returns how often each term and each identifier of two or more words occurs in a text.
func count(text []byte) (words, identifiers map[string]int) {
	if len(text) > MaxFileSize || bytes.IndexByte(text, 0) >= 0 {
		return nil, nil
	}
	words, identifiers = map[string]int{}, map[string]int{}
	parts := map[string][]string{} // terms by token: the same tokens occur again and again
	for token := range bytes.FieldsFuncSeq(text, outsideIdentifier) {
		if len(token) < minTerm || len(token) > maxIdentifier {
			continue
		}
		terms, known := parts[string(token)]
		if !known {
			terms = Terms(string(token), maxWordParts)
			parts[string(token)] = terms
		}
		for _, t := range terms {
			words[t]++
		}
		if len(terms) > 1 && len(token) >= minIdentifier {
			identifiers[plainIdentifier(string(token))]++
		}
	}
	return words, identifiers
}
