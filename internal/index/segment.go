package index

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// segment is a packed index of some files. Only gone and live ever change: a file that is saved
// gets a new segment (see Contents). Files are numbered within their segment.
type segment struct {
	Words   lists // files by word; see wordList
	Names   lists // files by identifiers that they use or define; see nameList
	Kinds   []byte
	Lengths [fields][]uint32 // for each file, its number of words

	// The names of each file except imports: the differences between their numbers in Names.
	Forward   []byte
	ForwardAt []uint32 // for each file, where its names begin in Forward; the last element is the end of Forward

	// Guarded by Contents.mu.
	paths []event.Path
	gone  []uint64 // one bit for each file: it was saved again or removed
	live  int      // number of files that are not gone
}

// field is a part of a file whose words are counted separately.
type field int

const (
	pathField       field = iota // the path with all folders
	baseField                    // the name without the extension
	definitionField              // the names that the file defines
	proseField                   // doc strings and comments
	bodyField                    // the whole text
	fields
)

// size returns the number of files, including those that are gone.
func (s *segment) size() int { return len(s.Kinds) }

// bytes returns the memory that a segment takes.
func (s *segment) bytes() int {
	return s.Words.bytes() + s.Names.bytes() + 4*len(s.ForwardAt) + len(s.Forward) + s.size()*(1+4*int(fields)+4+1)
}

func (s *segment) isGone(file uint32) bool { return isSet(s.gone, file) }

func isSet(bits []uint64, n uint32) bool { return bits[n/64]&(1<<(n%64)) != 0 }

// wordList reads the list of a word. Each entry is a uvarint: four times the difference between the
// file's number and the previous one, plus a form that tells how the counts are written:
//
//	0  the body has the word once, no other field has it
//	1  one byte follows: the count in the body
//	2  one byte follows: a bit for each other field that has it once, and 16 times the count in the
//	   body, which is at most 15
//	3  one byte follows with a bit for each field that has it, then one byte with the count for each
//
// Counts are at most 255.
type wordList struct {
	rest   []byte
	file   uint32
	counts [fields]uint8
	plain  bool // only the body has the word
	last   uint64
}

const (
	onceForm = iota
	bodyForm
	partsForm
	fieldsForm
)

// next reads the next entry. It returns false at the end of the list, at a damaged entry, and at a
// file number of size or more.
func (l *wordList) next(size int) bool {
	head, ok := uvarint(&l.rest)
	if l.last += head >> 2; !ok || l.last >= uint64(size) {
		return false
	}
	l.file, l.plain = uint32(l.last), head&3 < partsForm
	if head&3 == onceForm {
		l.counts = [fields]uint8{bodyField: 1}
		return true
	}
	if len(l.rest) == 0 {
		return false
	}
	switch b := l.rest[0]; head & 3 {
	case bodyForm:
		l.counts = [fields]uint8{bodyField: b}
		l.rest = l.rest[1:]
		return true
	case partsForm:
		l.counts = [fields]uint8{b & 1, b >> 1 & 1, b >> 2 & 1, b >> 3 & 1, b >> 4}
		l.rest = l.rest[1:]
		return true
	}
	mask, counts := l.rest[0], l.rest[1:]
	for f := range fields {
		l.counts[f] = 0
		if mask&(1<<f) != 0 {
			if len(counts) == 0 {
				return false
			}
			l.counts[f], counts = counts[0], counts[1:]
		}
	}
	l.rest = counts
	return true
}

// countFiles adds, for each field, the number of files in a list that have the word there.
func (s *segment) countFiles(list []byte, with *[fields]int) {
	whole := s.live == s.size()
	for l := (wordList{rest: list}); l.next(s.size()); {
		if !whole && s.isGone(l.file) {
			continue
		}
		if l.plain {
			with[bodyField]++
			continue
		}
		for f, n := range l.counts {
			if n > 0 {
				with[f]++
			}
		}
	}
}

// appendWord appends an entry to a list. delta is the difference to the number of the previous
// file.
func appendWord(list []byte, delta uint32, counts *[fields]uint8) []byte {
	head := uint64(delta) << 2
	others, most := byte(0), byte(0) // the other fields that have the word, one bit each; the highest of their counts
	for f, n := range counts[:bodyField] {
		if n > 0 {
			others |= 1 << f
			most = max(most, n)
		}
	}
	body := counts[bodyField]
	switch {
	case others == 0 && body == 1:
		return binary.AppendUvarint(list, head+onceForm)
	case others == 0:
		return append(binary.AppendUvarint(list, head+bodyForm), body)
	case most == 1 && body < 16:
		return append(binary.AppendUvarint(list, head+partsForm), others|body<<4)
	}
	if body > 0 {
		others |= 1 << bodyField
	}
	list = append(binary.AppendUvarint(list, head+fieldsForm), others)
	for _, n := range counts {
		if n > 0 {
			list = append(list, n)
		}
	}
	return list
}

// nameList reads the list of an identifier. Each entry is a uvarint: four times the difference
// between the file's number and the previous one, plus 1 if the file defines the identifier, plus 2
// if the file has it in code.
type nameList struct {
	rest []byte
	file uint32
	use
	last uint64
}

// use tells how a file uses an identifier.
type use uint8

const (
	mentioned use = 0 // only in comments and strings, or in a text that is not a program
	defined   use = 1
	inCode    use = 2 // in code; a name can be defined and not be used in code
)

func (u use) defines() bool { return u&defined != 0 }

func (l *nameList) next(size int) bool {
	head, ok := uvarint(&l.rest)
	if l.last += head >> 2; !ok || l.last >= uint64(size) {
		return false
	}
	l.file, l.use = uint32(l.last), use(head&3)
	return true
}

func appendName(list []byte, delta uint32, u use) []byte {
	return binary.AppendUvarint(list, uint64(delta)<<2|uint64(u))
}

// namesOf yields the numbers of the names of a file, in ascending order.
func (s *segment) namesOf(file uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		from, to := s.ForwardAt[file], s.ForwardAt[file+1]
		if from > to || uint64(to) > uint64(len(s.Forward)) {
			return
		}
		rest, n := s.Forward[from:to], uint64(0)
		for len(rest) > 0 {
			delta, ok := uvarint(&rest)
			if n += delta; !ok || n >= uint64(len(s.Names.Hashes)) || !yield(uint32(n)) {
				return
			}
		}
	}
}

// newSegment packs the words and names of one file into a segment.
func newSegment(d *Document, path, base []Count) *segment {
	s := &segment{Kinds: []byte{byte(d.Kind)}, gone: make([]uint64, 1), live: 1}
	lengths := [fields]int{total(path), total(base), d.DefinitionSize, d.ProseSize, d.Size}
	for f, n := range lengths {
		s.Lengths[f] = []uint32{uint32(n)}
	}
	words := make([]packed, 0, len(d.Terms)+len(path))
	counts := map[string]*[fields]uint8{} // the counts of words that only the path has
	for _, w := range path {
		counts[w.Stem] = &[fields]uint8{pathField: clamp(w.N)}
	}
	for _, w := range base { // words of the base name are words of the path, too
		counts[w.Stem][baseField] = clamp(w.N)
	}
	for i := range d.Terms {
		t := &d.Terms[i]
		of := counts[t.Stem]
		if of == nil {
			of = &[fields]uint8{}
		}
		delete(counts, t.Stem)
		of[definitionField], of[proseField], of[bodyField] = clamp(int(t.Definitions)), clamp(int(t.Prose)),
			clamp(int(t.Body))
		words = append(words, packed{termHash(t.Stem), appendWord(nil, 0, of), false})
	}
	for stem, of := range counts {
		words = append(words, packed{termHash(stem), appendWord(nil, 0, of), false})
	}
	var names []packed
	for u, all := range [...][]string{mentioned: d.Mentions, defined: d.Defines, inCode: d.Uses} {
		for _, n := range all {
			names = append(names, packed{termHash(n), appendName(nil, 0, use(u)), n != "" && n[0] == importMark})
		}
	}
	s.Words, _ = pack(words)
	s.Names, s.Forward = pack(names)
	s.ForwardAt = []uint32{0, uint32(len(s.Forward))}
	return s
}

// packed is a term of one file, with its list.
type packed struct {
	hash   uint64
	list   []byte
	hidden bool // do not list it among the names of the file
}

// pack makes the lists of one file from its terms. forward has the differences between the numbers
// of the terms that are not hidden.
func pack(terms []packed) (out lists, forward []byte) {
	slices.SortFunc(terms, func(a, b packed) int { return cmp.Compare(a.hash, b.hash) })
	terms = slices.CompactFunc(terms, func(a, b packed) bool { return a.hash == b.hash })
	last := 0
	for i, t := range terms {
		out.add(t.hash, t.list)
		if !t.hidden {
			forward, last = binary.AppendUvarint(forward, uint64(i-last)), i
		}
	}
	out.clip()
	return out, slices.Clone(forward)
}

func total(words []Count) (n int) {
	for _, w := range words {
		n += w.N
	}
	return n
}

func clamp(n int) uint8 { return uint8(min(n, 255)) }

func compareCount(c Count, stem string) int { return strings.Compare(c.Stem, stem) }
