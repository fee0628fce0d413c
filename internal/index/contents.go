package index

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Contents knows the words and identifiers by which files differ from each other: of each file the at most 256 most
// telling words, 64 identifiers, and 96 names that it defines, never its text. Like Tree it is of the files as they are
// now, is made anew at each start, and touches no disk. Safe for concurrent use.
type Contents struct {
	mu     sync.RWMutex
	files  map[event.Path]uint32
	said   []saying // by number of the file
	free   []uint32
	words  lexicon
	idents lexicon
	defs   lexicon
	length float64 // Σ of the lengths of all files
}

// saying is what is kept of a file.
type saying struct {
	path   event.Path
	words  []use
	idents []use
	defs   []use
	size   float64 // words of the whole text
	length float64 // Σ of the counts of its words
}

// use is the number of a word (of a file's words) or of a file (of a word's users), and how often the word stands in the
// file, at most 255: half as large as two fields would be.
type use uint32

func newUse(of uint32, times int) use { return use(of<<8 | uint32(min(times, 255))) }
func (u use) of() uint32              { return uint32(u) >> 8 }
func (u use) times() float64          { return float64(u & 255) }

// Bounds of what is kept and asked.
const (
	MaxContent   = 256 << 10 // longer files say too much to be told by words
	maxWords     = 256       // words kept of a file
	maxIdents    = 64        // identifiers kept of a file
	maxIdent     = 64        // bytes of an identifier
	minIdent     = 6
	rareIdent    = 20   // an identifier in more files than this tells none of them
	commonShare  = 0.25 // a word in more than this share of the files tells nothing …
	commonAtMost = 20   // … when there are more files than this
	maxFollowed  = 40   // identifiers of a file that are followed to other files
	sharedBy     = 12   // … when at most so many files have them
	minRemoval   = 256  // files removed in one step at least
	mostRemovals = 16   // steps of a removal at most
)

// NewContents knows of no file.
func NewContents() *Contents {
	return &Contents{files: map[event.Path]uint32{}, words: newLexicon(), idents: newLexicon(), defs: newLexicon()}
}

// Len is the number of files known.
func (c *Contents) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.files)
}

// Set takes in what a file says now. Texts longer than MaxContent and those with a zero byte say nothing. What is
// kept depends on the files that came before: a word is rare among them or not.
func (c *Contents) Set(p event.Path, text []byte) {
	words, idents := count(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(p)
	if len(words) == 0 {
		return
	}
	n := uint32(len(c.said))
	if last := len(c.free) - 1; last >= 0 {
		n, c.free = c.free[last], c.free[:last]
	} else {
		c.said = append(c.said, saying{})
	}
	s := saying{path: p, words: c.words.take(n, words, len(c.files), maxWords), idents: c.idents.take(n, idents, len(c.files), maxIdents)}
	if !proseFile(p) {
		s.defs = c.defs.enter(n, defined(text))
	}
	for _, k := range words {
		s.size += float64(k)
	}
	for _, u := range s.words {
		s.length += u.times()
	}
	c.said[n], c.files[p] = s, n
	c.length += s.length
}

// Remove forgets files. Many are forgotten in parts, between which questions are answered.
func (c *Contents) Remove(paths ...event.Path) {
	for part := range removalParts(paths) {
		c.removePart(part)
	}
}

// removePart forgets files in one step.
func (c *Contents) removePart(paths []event.Path) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(paths...)
	c.shrink()
}

// removalParts cuts files into parts that are removed in one step each. A part goes through all users of its words: few
// parts keep the cost of a removal linear, and small ones keep questions from waiting.
func removalParts(paths []event.Path) iter.Seq[[]event.Path] {
	return slices.Chunk(paths, max(minRemoval, (len(paths)+mostRemovals-1)/mostRemovals))
}

func (c *Contents) remove(paths ...event.Path) {
	var words, idents, defs []use
	for _, p := range paths {
		n, known := c.files[p]
		if !known {
			continue
		}
		s := &c.said[n]
		words, idents, defs = append(words, s.words...), append(idents, s.idents...), append(defs, s.defs...)
		c.length -= s.length
		*s = saying{}
		delete(c.files, p)
		c.free = append(c.free, n)
	}
	c.words.drop(words, c.gone)
	c.idents.drop(idents, c.gone)
	c.defs.drop(defs, c.gone)
}

// gone reports whether a number belongs to no file.
func (c *Contents) gone(file uint32) bool { return c.said[file].path == "" }

// shrink gives up the room of words that nobody uses any more, when most of it is free.
func (c *Contents) shrink() {
	if moved := c.words.shrink(); moved != nil {
		for i := range c.said {
			renumber(c.said[i].words, moved)
		}
	}
	if moved := c.idents.shrink(); moved != nil {
		for i := range c.said {
			renumber(c.said[i].idents, moved)
		}
	}
	if moved := c.defs.shrink(); moved != nil {
		for i := range c.said {
			renumber(c.said[i].defs, moved)
		}
	}
}

// count finds the words of a text (as Terms makes them) and its identifiers of two words or more, and how often each
// stands there.
func count(text []byte) (words, idents map[string]int) {
	if len(text) > MaxContent || bytes.IndexByte(text, 0) >= 0 {
		return nil, nil
	}
	words, idents = map[string]int{}, map[string]int{}
	parts := map[string][]string{} // a text says the same identifiers again and again
	for token := range bytes.FieldsFuncSeq(text, notIdent) {
		if len(token) < 3 || len(token) > maxIdent {
			continue
		}
		terms, known := parts[string(token)]
		if !known {
			terms = Terms(string(token), 8)
			parts[string(token)] = terms
		}
		for _, t := range terms {
			words[t]++
		}
		if len(terms) > 1 && len(token) >= minIdent {
			idents[plainIdent(string(token))]++
		}
	}
	return words, idents
}

func notIdent(r rune) bool {
	return !(r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80)
}

// plainIdent writes an identifier as it is in every language: maxItems, max_items and MAX_ITEMS are one.
func plainIdent(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
