package index

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// segment is what some files say, packed. Only the bits of removed files change: a file that is
// saved gets a new segment, see Contents. Files have numbers in it.
type segment struct {
	Words   lists // see wordList
	Names   lists // exact identifiers that files use or define; see nameList
	Kinds   []byte
	Lengths [fields][]uint32 // words

	Forward   []byte   // the names of each file but for imports, as the differences of their numbers in Names
	ForwardAt []uint32 // where those of each file begin, and the end

	// Guarded by Contents.mu.
	paths []event.Path
	gone  []uint64 // a bit for each file that was saved again or removed
	live  int      // files that are not gone
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

// size is the number of files, gone or not.
func (s *segment) size() int { return len(s.Kinds) }

// bytes is the memory of a segment.
func (s *segment) bytes() int {
	return s.Words.bytes() + s.Names.bytes() + 4*len(s.ForwardAt) + len(s.Forward) + s.size()*(1+4*int(fields)+4+1)
}

func (s *segment) isGone(file uint32) bool { return isSet(s.gone, file) }

func isSet(bits []uint64, n uint32) bool { return bits[n/64]&(1<<(n%64)) != 0 }

// wordList reads the list of a word. An entry is a uvarint of four times the difference to the
// number of the file before, plus a form:
//
//	0  the body has the word once, no other field does
//	1  a byte follows: how often the body has it
//	2  a byte follows: a bit for each other field that has it once, and 16 times how often the body has it, at most 15
//	3  a byte of bits follows, one for each field that has it, and a byte for each: how often
//
// Counts are at most 255.
type wordList struct {
	rest   []byte
	file   uint32
	counts [fields]uint8
	plain  bool // only the body has it
	last   uint64
}

const (
	onceForm = iota
	bodyForm
	partsForm
	fieldsForm
)

// next reads an entry. It ends at one that is damaged, and at a file that the segment, which has
// size files, does not have.
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

// countFiles adds how many files of a list have the word in each field.
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

// appendWord writes an entry whose file is delta after the one before.
func appendWord(list []byte, delta uint32, counts *[fields]uint8) []byte {
	head := uint64(delta) << 2
	others, most := byte(0), byte(0) // fields but the body; the highest of their counts
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

// nameList reads the list of an identifier. An entry is a uvarint of four times the difference to
// the number of the file before, plus 1 if the file defines it, plus 2 if its code has it.
type nameList struct {
	rest []byte
	file uint32
	use
	last uint64
}

// use says how a file has an identifier.
type use uint8

const (
	mentioned use = 0 // in comments and strings, or in a text that is no program
	defined   use = 1
	inCode    use = 2 // in code; what is defined need not be
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

// namesOf yields the numbers of the names of a file, in order.
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

// newSegment packs what one file says.
func newSegment(d *Document, path, base []Count) *segment {
	s := &segment{Kinds: []byte{byte(d.Kind)}, gone: make([]uint64, 1), live: 1}
	lengths := [fields]int{total(path), total(base), d.DefinitionSize, d.ProseSize, d.Size}
	for f, n := range lengths {
		s.Lengths[f] = []uint32{uint32(n)}
	}
	words := make([]packed, 0, len(d.Terms)+len(path))
	counts := map[string]*[fields]uint8{} // of the words of the path
	for _, w := range path {
		counts[w.Stem] = &[fields]uint8{pathField: clamp(w.N)}
	}
	for _, w := range base { // they are words of the path, too
		counts[w.Stem][baseField] = clamp(w.N)
	}
	for i := range d.Terms {
		t := &d.Terms[i]
		of := counts[t.Stem]
		if of == nil {
			of = &[fields]uint8{}
		}
		delete(counts, t.Stem)
		of[definitionField], of[proseField], of[bodyField] = clamp(int(t.Definitions)), clamp(int(t.Prose)), clamp(int(t.Body))
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

// packed is a term of a file.
type packed struct {
	hash   uint64
	list   []byte
	hidden bool // it is not among the names of the file
}

// pack makes lists of the terms of one file, and the differences of the numbers of those that are
// not hidden.
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
