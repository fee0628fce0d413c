package index

import (
	"cmp"
	"iter"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Hit is a file that a search found.
type Hit struct {
	Path   event.Path
	Weight float64 // above 0, the higher the better; comparable within one answer
}

// Limits of a search.
const (
	maxDefiners  = 6    // names that more files define are ignored
	maxCompared  = 64   // identifiers of a file that are used to search for other files
	maxLikeUsers = 12   // identifiers that more files have are not used to find files like this one
	manyUsers    = 1024 // files that have an identifier are counted up to this number, to compare rarity
)

// Alike returns the n files that share most rare identifiers with a file, because they call it, are
// called by it or do similar things.
func (c *Contents) Alike(p event.Path, n int) []Hit {
	return c.related(p, n, maxLikeUsers-1, false, func(self bool, _ use) bool { return !self })
}

// Called returns the n files that define most of what a file uses.
func (c *Contents) Called(p event.Path, n int) []Hit {
	return c.related(p, n, maxDefiners, false, func(_ bool, u use) bool { return u.defines() })
}

// calling returns the n files that use most of what a file defines.
func (c *Contents) calling(p event.Path, n int) []Hit {
	return c.related(p, n, maxLikeUsers, true,
		func(self bool, u use) bool { return !self && !u.defines() && u != mentioned })
}

// related returns the n files that have most to do with a file. It goes through the identifiers
// that the file uses or, if defined is true, defines. Each identifier adds 1/(number of files) to
// all files for which counts is true; it adds nothing if more than most files do so. self tells
// whether a file is the file itself.
func (c *Contents) related(p event.Path, n, most int, defined bool, counts func(self bool, u use) bool) []Hit {
	c.mu.RLock()
	defer c.mu.RUnlock()
	self, names := c.identifiersOf(p)
	sums := map[fileID]float64{}
	var files []fileID
	for _, name := range names {
		files = files[:0]
		own := !defined
		for file, u := range c.having(name.hash) {
			own = own || file == self && u.defines()
			if counts(file == self, u) {
				if files = append(files, file); len(files) > most {
					break
				}
			}
		}
		if !own || len(files) > most {
			continue
		}
		for _, file := range files {
			if file != self {
				sums[file] += 1 / float64(len(files))
			}
		}
	}
	hits := make([]Hit, 0, len(sums))
	for file, sum := range sums {
		hits = append(hits, Hit{c.path(file), sum})
	}
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Path, b.Path)) })
	return hits[:min(len(hits), n)]
}

// fileID is the index of a segment in Contents.segments, and the number of a file in that segment.
// It is valid until the segments change.
type fileID uint64

func (c *Contents) path(id fileID) event.Path { return c.segments[id>>32].paths[uint32(id)] }

// having yields the files that have the identifier with this hash, and how they use it.
func (c *Contents) having(hash uint64) iter.Seq2[fileID, use] {
	return func(yield func(fileID, use) bool) {
		for k, s := range c.segments {
			for l := (nameList{rest: s.Names.find(hash)}); l.next(s.size()); {
				if !s.isGone(l.file) && !yield(fileID(k)<<32|fileID(l.file), l.use) {
					return
				}
			}
		}
	}
}

// saying yields the files that have a stem, with the number of its occurrences in each field.
func (c *Contents) saying(stem string) iter.Seq2[fileID, [fields]uint8] {
	return func(yield func(fileID, [fields]uint8) bool) {
		hash := termHash(stem)
		for k, s := range c.segments {
			for l := (wordList{rest: s.Words.find(hash)}); l.next(s.size()); {
				if !s.isGone(l.file) && !yield(fileID(k)<<32|fileID(l.file), l.counts) {
					return
				}
			}
		}
	}
}

// sharedName is an identifier, with the number of files that have it.
type sharedName struct {
	hash  uint64
	files int
}

// identifiersOf returns the id of a file and its rarest identifiers that other files have, too, at
// most maxCompared. None exist if the file is not known.
func (c *Contents) identifiersOf(p event.Path) (self fileID, shared []sharedName) {
	d, known := c.files[p]
	if !known {
		return 0, nil
	}
	self = fileID(slices.Index(c.segments, d.segment))<<32 | fileID(d.at)
	for name := range d.segment.namesOf(d.at) {
		hash, n := d.segment.Names.Hashes[name], d.segment.usersIn(d.segment.Names.number(int(name)))
		for _, s := range c.segments {
			if s != d.segment {
				n += s.usersIn(s.Names.find(hash))
			}
		}
		if n > 1 {
			shared = append(shared, sharedName{hash, min(n, manyUsers)})
		}
	}
	slices.SortFunc(shared, func(a, b sharedName) int {
		return cmp.Or(cmp.Compare(a.files, b.files), cmp.Compare(a.hash, b.hash))
	})
	return self, shared[:min(len(shared), maxCompared)]
}

// usersIn counts the files in the list of an identifier that are not gone. It may stop at
// manyUsers.
func (s *segment) usersIn(list []byte) (n int) {
	if s.live < s.size() {
		for l := (nameList{rest: list}); n < manyUsers && l.next(s.size()); {
			if !s.isGone(l.file) {
				n++
			}
		}
		return n
	}
	// A file number takes at most 3 bytes.
	list = list[:min(len(list), 3*manyUsers)]
	for _, b := range list { // count the last byte of each number
		if b < 0x80 {
			n++
		}
	}
	return n
}

// codeUsers returns the files that pass the filter and whose code has a name; none if there are
// more than most. name is compared in plain form. Uses of one-word names are not indexed, so for
// such a name codeUsers returns the files that have the word. Here stopWords are names like all
// others.
func (c *Contents) codeUsers(name string, most int, pass func(event.Path) bool) (out []event.Path) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	fits := func(file fileID) bool {
		if p := c.path(file); pass(p) {
			out = append(out, p)
		}
		return len(out) <= most
	}
	plain, imported := name, name[0] == importMark
	if !imported {
		plain = plainIdentifier(name)
	}
	for file, u := range c.having(termHash(plain)) {
		if u != mentioned && !fits(file) {
			return nil
		}
	}
	if imported || looksLikeCode(name) {
		return out
	}
	for file, counts := range c.saying(textStem(name)) {
		if (counts[bodyField] == 255 || counts[bodyField] > counts[proseField]) && !fits(file) {
			return nil
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Definers returns the files that define a name, given in plain form; none if there are more than
// most.
func (c *Contents) Definers(plain string, most int) (out []event.Path) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for file, u := range c.having(termHash(plain)) {
		if u.defines() {
			out = append(out, c.path(file))
		}
	}
	if len(out) > most {
		return nil
	}
	slices.Sort(out)
	return out
}

// naming returns files that have all words of p's base name, at most most of them, by path.
func (c *Contents) naming(p event.Path, most int) (out []event.Path) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	_, base := pathWords(p)
	count := map[fileID]int{}
	for _, w := range base {
		for file, counts := range c.saying(w.Stem) {
			if counts[bodyField] > 0 {
				count[file]++
			}
		}
	}
	for file, n := range count {
		if n == len(base) {
			out = append(out, c.path(file))
		}
	}
	slices.Sort(out)
	return out[:min(len(out), most)]
}
