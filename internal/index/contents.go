package index

import (
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Contents is an index of the words of files, by field: words of the path, of the names that a file
// defines, of its doc strings and comments, of its body, and exact identifiers. It never keeps a
// text. It describes the files as they are now. Most of them are in the base, one packed segment;
// files that changed since are in the overlay, a list of small segments. Saving or removing a file
// deletes it from the base, and a saved file becomes a small segment of the overlay. fold packs all
// files into a new base. Contents is safe for concurrent use.
type Contents struct {
	maxFiles, maxBytes int

	merging sync.Mutex // held while segments are merged, or folded into a new base

	mu      sync.RWMutex // guards the fields below; held for a short time
	version uint64       // grows with every change
	files   map[event.Path]position
	// the base, if there is one, then the overlay; a segment whose files are all gone is dropped
	segments []*segment
	named    map[string]uint32 // by word: number of files that have it in their path
	lengths  [fields]float64   // sum of the lengths of all files, by field
	bytes    int               // memory of all segments
}

// position tells where a file is: its segment, and its number there.
type position struct {
	segment *segment
	at      uint32 // the number of the file in that segment
}

// Limits of the index. Once one of them is reached, new files are left out, while known files are
// still updated.
const (
	maxFiles = 1 << 17
	maxBytes = 1 << 28 // bytes of all segments together
)

// Limits of the overlay and of one step of work.
const (
	// When this many segments of the overlay have about the same size, they are merged into one.
	// Sizes count as about the same between two powers of this number.
	mergeAt = 8
	// The number of overlay files that may be merged at once when a file is saved; merging these
	// takes about 3 ms.
	maxSmall = 512
	// The number of files that are removed under one lock; questions are answered between two
	// steps.
	removalStep = 1024
	// While files are saved, a new base is made when more than this share of all entries is in the
	// overlay or belongs to removed files.
	foldAt = 0.5
	// The same share, but before the index is written to disk and after all files have been read.
	packAt = 0.1
)

// NewContents returns an empty index.
func NewContents() *Contents { return newContents(maxFiles, maxBytes) }

func newContents(files, bytes int) *Contents {
	return &Contents{maxFiles: files, maxBytes: bytes, files: map[event.Path]position{}, named: map[string]uint32{}}
}

// Version returns a number that changes with every change of the index.
func (c *Contents) Version() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.version
}

// Size returns the number of words in a file, 0 if the index does not have the file.
func (c *Contents) Size(p event.Path) float64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if d, known := c.files[p]; known {
		return float64(d.segment.Lengths[bodyField][d.at])
	}
	return 0
}

// Set replaces what the index knows of a file by the words of text (see Extract). When much has
// changed since the last base was made, it also makes a new base.
func (c *Contents) Set(p event.Path, text []byte) {
	c.set(p, text)
	c.fold(foldAt)
}

// set is Set without making a new base.
func (c *Contents) set(p event.Path, text []byte) {
	said := Extract(p, text)
	if said.Size == 0 {
		c.Remove(p)
		return
	}
	path, base := pathWords(p)
	s := newSegment(&said, path, base)
	c.mu.Lock()
	c.remove(p)
	if len(c.files) < c.maxFiles && c.bytes+s.bytes() <= c.maxBytes {
		c.version++
		c.files[p], s.paths = position{s, 0}, []event.Path{p}
		c.segments = append(c.segments, s)
		c.bytes += s.bytes()
		c.count(s, 0, path)
	}
	c.mu.Unlock()
	c.merge()
}

// count adds the lengths of a segment's file to the sums of the index. path is the words of the
// file's path.
func (c *Contents) count(s *segment, file int, path []Count) {
	for _, w := range path {
		c.named[w.Stem]++
	}
	for f := range fields {
		c.lengths[f] += float64(s.Lengths[f][file])
	}
}

// adopt replaces the files of c by those of o. The caller must not use o afterwards.
func (c *Contents) adopt(o *Contents) {
	c.merging.Lock()
	defer c.merging.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	c.files, c.segments, c.named, c.lengths, c.bytes = o.files, o.segments, o.named, o.lengths, o.bytes
}

// Remove deletes files from the index. A long list is deleted in steps, so that questions can be
// answered in between.
func (c *Contents) Remove(paths ...event.Path) {
	for step := range slices.Chunk(paths, removalStep) {
		c.mu.Lock()
		c.remove(step...)
		c.mu.Unlock()
	}
	c.merge()
}

func (c *Contents) remove(paths ...event.Path) {
	for _, p := range paths {
		d, known := c.files[p]
		if !known {
			continue
		}
		c.version++
		s := d.segment
		s.gone[d.at/64] |= 1 << (d.at % 64)
		if s.live--; s.live == 0 {
			c.segments = slices.DeleteFunc(c.segments, func(other *segment) bool { return other == s })
			c.bytes -= s.bytes()
		}
		for f := range fields {
			c.lengths[f] -= float64(s.Lengths[f][d.at])
		}
		words, _ := pathWords(p)
		for _, w := range words {
			if c.named[w.Stem]--; c.named[w.Stem] == 0 {
				delete(c.named, w.Stem)
			}
		}
		delete(c.files, p)
	}
}

// merge merges segments of the overlay as long as there are mergeAt of one size, up to maxSmall
// files. If another goroutine is already merging or folding, merge returns at once: that goroutine,
// or the next call, does the work.
func (c *Contents) merge() {
	for c.merging.TryLock() {
		parts := c.small()
		if len(parts) > 0 {
			c.replace(parts)
		}
		c.merging.Unlock()
		if len(parts) == 0 {
			return
		}
	}
}

// small returns the segments of the overlay that merge should join next; it returns none if no size
// has enough segments.
func (c *Contents) small() []part {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var ofSize [3][]*segment
	for _, s := range c.segments {
		if s.live > maxSmall/mergeAt {
			continue // the base, or a segment that is too large to be merged before the next base is made
		}
		size := 0
		for n := s.live; n >= mergeAt; n /= mergeAt {
			size++
		}
		if ofSize[size] = append(ofSize[size], s); len(ofSize[size]) == mergeAt {
			return partsOf(ofSize[size])
		}
	}
	return nil
}

func partsOf(segments []*segment) (parts []part) {
	for _, s := range segments {
		parts = append(parts, part{segment: s, gone: slices.Clone(s.gone)})
	}
	return parts
}

// fold makes a new base of all files if more than the given share of all entries is in the overlay
// or belongs to removed files. A file that was saved again counts twice: once in the overlay, once
// as removed from the base. Questions are answered while fold works.
func (c *Contents) fold(share float64) {
	c.merging.Lock()
	defer c.merging.Unlock()
	c.mu.RLock()
	base, all := 0, 0
	for _, s := range c.segments {
		base, all = max(base, s.live), all+s.size()
	}
	var parts []part
	if float64(all-base) > share*float64(all) {
		parts = partsOf(c.segments)
	}
	c.mu.RUnlock()
	if len(parts) > 0 {
		c.replace(parts)
	}
}

// replace puts one merged segment in the place of parts. Files that were removed while merging are
// marked as gone in the new segment.
func (c *Contents) replace(parts []part) {
	s := merge(parts)
	c.mu.Lock()
	defer c.mu.Unlock()
	old := map[*segment]bool{}
	for _, p := range parts {
		if p.segment.live > 0 { // else the segment has already been dropped
			c.bytes -= p.bytes()
		}
		old[p.segment] = true
		for file, number := range p.numbers {
			switch {
			case number == noFile:
			case p.isGone(uint32(file)):
				s.gone[number/64] |= 1 << (number % 64)
				s.live--
			default:
				c.files[s.paths[number]] = position{s, number}
			}
		}
	}
	c.segments = slices.DeleteFunc(c.segments, func(other *segment) bool { return old[other] })
	if s.live > 0 {
		c.segments = append(c.segments, s)
		c.bytes += s.bytes()
	}
}

// HasWord reports whether a file has that term.
func (c *Contents) HasWord(term string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for range c.saying(term) {
		return true
	}
	return false
}

// Defined reports whether a source file defines a name that contains a word with this stem.
func (c *Contents) Defined(stem string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for f, counts := range c.saying(stem) {
		if counts[definitionField] > 0 && KindOf(c.path(f)) == KindSource {
			return true
		}
	}
	return false
}

// HasName reports whether a file has that identifier, in plain form.
func (c *Contents) HasName(name string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for range c.having(termHash(name)) {
		return true
	}
	return false
}
