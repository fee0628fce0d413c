package index

import (
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Contents is an index of what files say, by field: words of the path, of the names that a file defines, of its doc
// strings and comments, of its body, and exact identifiers. It never keeps a text. It holds the files as they are now,
// packed in segments: a file that is saved becomes a segment of its own, and segments are merged when there are many of
// a size. It is safe for concurrent use.
type Contents struct {
	maxFiles, maxBytes int

	merging sync.Mutex // held while segments are merged

	mu       sync.RWMutex // guards what follows; held for a short time
	version  uint64       // grows with every change
	files    map[event.Path]position
	segments []*segment        // each with files that are not gone
	named    map[string]uint32 // files with that word in their path
	lengths  [fields]float64   // sums of the lengths of all files
	bytes    int               // of all segments
}

// position is where a file is.
type position struct {
	segment *segment
	at      uint32 // its number there
}

// Bounds of what is kept. Beyond them no new file is, and known ones are followed.
const (
	maxFiles = 1 << 17
	maxBytes = 1 << 28 // of all segments
)

// Bounds of segments and of one step.
const (
	mergeAt     = 8    // segments of a size are merged; a size is a power of this many files
	maxSmall    = 512  // files that are merged at once when one is saved: about 3 ms
	removalStep = 1024 // files that are removed between questions
	maxGone     = 0.5  // share of the files of a segment; with more it is packed again
	packAt      = 0.1  // share of all files outside of the largest segment, or gone, with which Pack makes one segment
)

// NewContents returns an index of no file.
func NewContents() *Contents { return newContents(maxFiles, maxBytes) }

func newContents(files, bytes int) *Contents {
	return &Contents{maxFiles: files, maxBytes: bytes, files: map[event.Path]position{}, named: map[string]uint32{}}
}

// Version returns a number that is another one after every change.
func (c *Contents) Version() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.version
}

// Size returns how many words a file has, 0 if it is not known.
func (c *Contents) Size(p event.Path) float64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if d, known := c.files[p]; known {
		return float64(d.segment.Lengths[bodyField][d.at])
	}
	return 0
}

// Set replaces what a file says. See Extract for what a text says.
func (c *Contents) Set(p event.Path, text []byte) {
	c.set(p, text)
	c.merge(maxFiles)
}

// set is Set that merges small segments only.
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
		c.enter(p, s, path)
	}
	c.mu.Unlock()
	c.merge(maxSmall)
}

// enter makes the only file of a segment known.
func (c *Contents) enter(p event.Path, s *segment, path []Count) {
	c.version++
	c.files[p] = position{s, 0}
	s.paths = []event.Path{p}
	c.segments = append(c.segments, s)
	c.bytes += s.bytes()
	c.count(s, 0, path)
}

// count adds a file of a segment to the sums. path is the words of its path.
func (c *Contents) count(s *segment, file int, path []Count) {
	for _, w := range path {
		c.named[w.Stem]++
	}
	for f := range fields {
		c.lengths[f] += float64(s.Lengths[f][file])
	}
}

// adopt takes the files of another index, which is not used after that, in place of its own.
func (c *Contents) adopt(o *Contents) {
	c.merging.Lock()
	defer c.merging.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	c.files, c.segments, c.named, c.lengths, c.bytes = o.files, o.segments, o.named, o.lengths, o.bytes
}

// Remove forgets files. Many files are removed in steps, between which questions are answered.
func (c *Contents) Remove(paths ...event.Path) {
	for step := range slices.Chunk(paths, removalStep) {
		c.mu.Lock()
		c.remove(step...)
		c.mu.Unlock()
	}
	c.merge(maxSmall)
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

// merge merges segments while there are mergeAt of a size, and packs those of which most is gone, where that concerns
// at most most files. If another merge is under way, that one goes on, or the next does.
func (c *Contents) merge(most int) {
	for c.merging.TryLock() {
		parts := c.due(most)
		if len(parts) > 0 {
			c.replace(parts)
		}
		c.merging.Unlock()
		if len(parts) == 0 {
			return
		}
	}
}

// due returns segments that are to be merged.
func (c *Contents) due(most int) []part {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var ofSize [32][]*segment
	var live [32]int
	for _, s := range c.segments {
		if gone := s.size() - s.live; float64(gone) > maxGone*float64(s.size()) && s.live <= most {
			return partsOf(s)
		}
		level := 0
		for n := s.live; n >= mergeAt; n /= mergeAt {
			level++
		}
		ofSize[level], live[level] = append(ofSize[level], s), live[level]+s.live
		if len(ofSize[level]) == mergeAt {
			if live[level] <= most {
				return partsOf(ofSize[level]...)
			}
			ofSize[level], live[level] = nil, 0
		}
	}
	return nil
}

func partsOf(segments ...*segment) (parts []part) {
	for _, s := range segments {
		parts = append(parts, part{segment: s, gone: slices.Clone(s.gone)})
	}
	return parts
}

// pack makes one segment of all, if much is outside of the largest or gone, or always.
func (c *Contents) pack(always bool) {
	c.merging.Lock()
	defer c.merging.Unlock()
	c.mu.RLock()
	parts, largest, all := partsOf(c.segments...), 0, 0
	for _, s := range c.segments {
		largest, all = max(largest, s.live), all+s.size()
	}
	c.mu.RUnlock()
	if always || float64(all-largest) > packAt*float64(all) {
		c.replace(parts)
	}
}

// replace puts one segment in the place of some. Files that go meanwhile are gone in it.
func (c *Contents) replace(parts []part) {
	s := merge(parts)
	c.mu.Lock()
	defer c.mu.Unlock()
	old := map[*segment]bool{}
	for _, p := range parts {
		if p.segment.live > 0 { // or it has been dropped
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
	// The new one takes the place of the first: so merged segments stay in the order of their files.
	segments := make([]*segment, 0, len(c.segments))
	for _, other := range c.segments {
		if !old[other] {
			segments = append(segments, other)
		}
	}
	if c.segments = segments; s.live > 0 {
		c.segments = append(c.segments, s)
		c.bytes += s.bytes()
	}
}
