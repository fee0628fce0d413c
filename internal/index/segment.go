package index

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"
	"strings"
)

// segment is what some files say, packed. Only who is gone changes: a file that is saved gets a new segment, see
// Contents. Files have numbers in it.
type segment struct {
	Words   dictionary // list: see wordList
	Names   dictionary // exact identifiers that files use or define; list: see nameList
	Kinds   []byte
	Lengths [fields][]uint32 // words

	Forward   []byte   // the names of each file, as the differences of their numbers in the dictionary
	ForwardAt []uint32 // where those of each file begin, and the end

	// Guarded by Contents.mu.
	ids  []uint32 // numbers in Contents.documents
	gone []uint64 // a bit for each file that was saved again or removed
	live int      // files that are not gone
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
	n := len(s.Words.Entries) + len(s.Names.Entries) + 4*(len(s.Words.Blocks)+len(s.Names.Blocks)+len(s.ForwardAt)) +
		8*(len(s.Words.Filter)+len(s.Names.Filter)) + len(s.Forward)
	return n + s.size()*(1+4*int(fields)+4+1)
}

func (s *segment) isGone(file uint32) bool { return isSet(s.gone, file) }

func isSet(bits []uint64, n uint32) bool { return bits[n/64]&(1<<(n%64)) != 0 }

// wordList reads the list of a word. An entry is a uvarint of four times the difference to the number of the file
// before, plus a form:
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

// next reads an entry. It ends at one that is damaged, and at a file that the segment, which has size files, does not
// have.
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

// countFiles adds how many files of a list have the word in each field. It is wordList with less to do: with wordList a
// question takes a third longer.
func (s *segment) countFiles(list []byte, with *[fields]int) {
	size, whole, last := uint64(s.size()), s.live == s.size(), uint64(0)
	for len(list) > 0 {
		head := uint64(list[0])
		if head < 0x80 {
			list = list[1:]
		} else {
			var ok bool
			if head, ok = uvarint(&list); !ok {
				return
			}
		}
		if last += head >> 2; last >= size {
			return
		}
		count := 1
		if !whole && s.isGone(uint32(last)) {
			count = 0
		}
		if head&3 == onceForm {
			with[bodyField] += count
			continue
		}
		if len(list) == 0 {
			return
		}
		b := list[0]
		list = list[1:]
		switch head & 3 {
		case bodyForm:
			with[bodyField] += count
			continue
		case fieldsForm:
			n := bits.OnesCount8(b & (1<<fields - 1))
			if len(list) < n {
				return
			}
			list = list[n:]
		}
		for f := range bodyField {
			with[f] += count & int(b>>f)
		}
		if head&3 == partsForm && b>>4 > 0 || head&3 == fieldsForm && b>>bodyField&1 > 0 {
			with[bodyField] += count
		}
	}
}

// appendWord writes an entry, delta behind the file before.
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

// nameList reads the list of an identifier. An entry is a uvarint of four times the difference to the number of the file
// before, plus 1 if the file defines it, plus 2 if its code has it.
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
			if n += delta; !ok || n >= uint64(s.Names.N) || !yield(uint32(n)) {
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
	var words dictionaryBuilder
	var list []byte
	add := func(word string, counts [fields]uint8) {
		list = appendWord(list[:0], 0, &counts)
		words.add([]byte(word), list)
	}
	pathCounts := func(w Count) [fields]uint8 { // the words of the base are words of the path
		counts := [fields]uint8{pathField: clamp(w.N)}
		if i, found := slices.BinarySearchFunc(base, w.Stem, compareCount); found {
			counts[baseField] = clamp(base[i].N)
		}
		return counts
	}
	for i := range d.Terms {
		t := &d.Terms[i]
		for len(path) > 0 && path[0].Stem < t.Stem {
			add(path[0].Stem, pathCounts(path[0]))
			path = path[1:]
		}
		var counts [fields]uint8
		if len(path) > 0 && path[0].Stem == t.Stem {
			counts = pathCounts(path[0])
			path = path[1:]
		}
		counts[definitionField], counts[proseField], counts[bodyField] = clamp(int(t.Definitions)), clamp(int(t.Prose)),
			clamp(int(t.Body))
		add(t.Stem, counts)
	}
	for _, w := range path {
		add(w.Stem, pathCounts(w))
	}
	s.Words = words.finish()
	s.packNames(d)
	return s
}

func total(words []Count) (n int) {
	for _, w := range words {
		n += w.N
	}
	return n
}

func clamp(n int) uint8 { return uint8(min(n, 255)) }

func compareCount(c Count, stem string) int { return strings.Compare(c.Stem, stem) }

// packNames packs the identifiers of the only file.
func (s *segment) packNames(d *Document) {
	type name struct {
		text string
		use
	}
	var all []name
	for u, names := range [...][]string{mentioned: d.Mentions, defined: d.Defines, inCode: d.Uses} {
		for _, n := range names {
			all = append(all, name{n, use(u)})
		}
	}
	slices.SortFunc(all, func(a, b name) int { return strings.Compare(a.text, b.text) })
	var names dictionaryBuilder
	var list []byte
	s.ForwardAt = []uint32{0, 0}
	for i, n := range all {
		list = appendName(list[:0], 0, n.use)
		names.add([]byte(n.text), list)
		s.Forward = append(s.Forward, byte(min(i, 1)))
	}
	s.Forward = bytes.Clone(s.Forward)
	s.ForwardAt[1] = uint32(len(s.Forward))
	s.Names = names.finish()
}
