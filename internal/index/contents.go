package index

import (
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Contents is an index of what files say, by field: words of the path, of the names that a file
// defines, of its doc strings and comments, of its body, and exact identifiers. It never keeps a
// text. It holds the files as they are now: the base, which is one packed segment, and over it what
// changed since. A file that is saved or removed is gone from the base, and becomes a small segment
// of the overlay; fold makes a new base of all. It is safe for concurrent use.
type Contents struct {
	maxFiles, maxBytes int

	merging sync.Mutex // held while segments are merged, or folded into a new base

	mu       sync.RWMutex // guards what follows; held for a short time
	version  uint64       // grows with every change
	files    map[event.Path]position
	segments []*segment        // the base, if there is one, and the overlay; each with files that are not gone
	named    map[string]uint32 // files with that word in their path
	lengths  [fields]float64   // sums of the lengths of all files
	bytes    int               // of all segments
}

// position is where a file is.
type position struct {
	segment *segment
	at      uint32 // its number there
}

// Limits of the index. Beyond them it takes no new file, but follows changes of known ones.
const (
	maxFiles = 1 << 17
	maxBytes = 1 << 28 // of all segments
)

// Bounds of the overlay and of one step.
const (
	mergeAt     = 8    // segments of the overlay of a size are merged; a size is a power of this many files
	maxSmall    = 512  // files of the overlay that are merged at once when one is saved: about 3 ms
	removalStep = 1024 // files that are removed between questions
	foldAt      = 0.5  // share of all entries over the base, or gone, with which a new base is made while files are saved
	packAt      = 0.1  // the same before the index is kept on disk, and when all files have been read
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

// Set replaces what a file says, and makes a new base when much has changed. See Extract for what a
// text says.
func (c *Contents) Set(p event.Path, text []byte) {
	c.set(p, text)
	c.fold(foldAt)
}

// set is Set that makes no new base.
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
	c.merge()
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

// merge merges segments of the overlay while there are mergeAt of a size, up to maxSmall files. If
// a merge or a fold is under way, that one goes on, or the next does.
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

// small returns segments of the overlay that are to be merged.
func (c *Contents) small() []part {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var ofSize [3][]*segment
	for _, s := range c.segments {
		if s.live > maxSmall/mergeAt {
			continue // it waits for the next base, or is the base
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

// fold makes a new base of all files if more than a share of the entries of all segments lie over
// the base, or are gone: a file that was saved again has one of either. Questions are answered
// meanwhile.
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
	c.segments = slices.DeleteFunc(c.segments, func(other *segment) bool { return old[other] })
	if s.live > 0 {
		c.segments = append(c.segments, s)
		c.bytes += s.bytes()
	}
}
