package index

import (
	"iter"
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Contents is an index of what files say, by field: words of the path, of the names that a file defines, of its doc strings and
// comments, of its body, and exact identifiers. It never keeps a text. It holds the files as they are now, in memory. It is safe for
// concurrent use.
type Contents struct {
	maxFiles int

	mu          sync.RWMutex // guards what follows
	numbers     map[event.Path]uint32
	documents   []document // by number
	free        []uint32   // numbers of no file
	fields      [fields]vocabulary
	lengths     [fields]float64 // sums of the lengths of all documents
	identifiers vocabulary      // that a file uses or defines
	definitions vocabulary      // that a file defines
}

// field is a part of a file whose words are indexed apart.
type field int

const (
	pathField       field = iota // the folders and the name
	baseField                    // the name without the extension
	definitionField              // the names that it defines
	proseField                   // doc strings and comments
	bodyField                    // everything
	fields
)

// document is what is kept of a file.
type document struct {
	path        event.Path
	kind        Kind
	fields      [fields][]posting
	lengths     [fields]float64 // words
	identifiers []posting
	definitions []posting
}

// Bounds of what is kept.
const (
	maxFiles      = 1 << 17 // a new file beyond them is not kept
	maxVocabulary = 1 << 22 // words of a field, identifiers and definitions, each; a new one beyond them is not kept
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
	c := &Contents{maxFiles: files, numbers: map[event.Path]uint32{}, identifiers: newVocabulary(words), definitions: newVocabulary(words)}
	for f := range c.fields {
		c.fields[f] = newVocabulary(words)
	}
	return c
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
		return c.documents[n].lengths[bodyField]
	}
	return 0
}

// Set replaces what a file says. See Extract for what a text says.
func (c *Contents) Set(p event.Path, text []byte) {
	said := Extract(p, text)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(p)
	if said.Size == 0 || len(c.numbers) >= c.maxFiles {
		return
	}
	n := uint32(len(c.documents))
	if last := len(c.free) - 1; last >= 0 {
		n, c.free = c.free[last], c.free[:last]
	} else {
		c.documents = append(c.documents, document{})
	}
	d := document{path: p, kind: said.Kind}
	path, base := pathWords(p)
	for f, words := range [...][]Count{path, base} {
		for _, w := range words {
			d.fields[f] = c.fields[f].add(d.fields[f], n, w.Stem, w.N)
			d.lengths[f] += float64(w.N)
		}
	}
	for _, t := range said.Terms {
		for f, times := range [...]uint32{t.Definitions, t.Prose, t.Body} {
			if times > 0 {
				f := definitionField + field(f)
				d.fields[f] = c.fields[f].add(d.fields[f], n, t.Stem, int(times))
			}
		}
	}
	d.lengths[definitionField], d.lengths[proseField], d.lengths[bodyField] = float64(said.DefinitionSize), float64(said.ProseSize), float64(said.Size)
	for f, length := range d.lengths {
		c.lengths[f] += length
	}
	d.definitions = c.definitions.addNames(n, said.Defines)
	d.identifiers = c.identifiers.addNames(n, slices.Concat(said.Defines, said.Uses))
	c.documents[n], c.numbers[p] = d, n
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
	var words [fields][]posting
	var identifiers, definitions []posting
	for _, p := range paths {
		n, known := c.numbers[p]
		if !known {
			continue
		}
		d := &c.documents[n]
		for f := range d.fields {
			words[f] = append(words[f], d.fields[f]...)
			c.lengths[f] -= d.lengths[f]
		}
		identifiers, definitions = append(identifiers, d.identifiers...), append(definitions, d.definitions...)
		*d = document{}
		delete(c.numbers, p)
		c.free = append(c.free, n)
	}
	gone := func(file uint32) bool { return c.documents[file].path == "" }
	for f := range c.fields {
		c.fields[f].remove(words[f], gone)
	}
	c.identifiers.remove(identifiers, gone)
	c.definitions.remove(definitions, gone)
}

// shrink frees the memory of words that no file has any more, if most of it is free.
func (c *Contents) shrink() {
	var words [fields][]uint32
	for f := range c.fields {
		words[f] = c.fields[f].shrink()
	}
	identifiers, definitions := c.identifiers.shrink(), c.definitions.shrink()
	for _, d := range c.documents {
		for f := range d.fields {
			renumber(d.fields[f], words[f])
		}
		renumber(d.identifiers, identifiers)
		renumber(d.definitions, definitions)
	}
}
