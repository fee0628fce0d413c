package index

import (
	"bytes"
	"encoding/binary"
)

// part is a segment that is merged, with who is gone when the merge begins.
type part struct {
	*segment
	gone    []uint64
	numbers []uint32 // of each file in the result
	names   []uint32 // of each name in the result
}

const noFile = 1<<32 - 1

// merge makes one segment of the files of some that are not gone, in their order.
func merge(parts []part) *segment {
	out := &segment{}
	for i := range parts {
		p := &parts[i]
		p.numbers = make([]uint32, p.size())
		p.names = make([]uint32, p.segment.Names.N)
		for file := range p.numbers {
			p.numbers[file] = noFile
			if isSet(p.gone, uint32(file)) {
				continue
			}
			p.numbers[file] = uint32(len(out.Kinds))
			out.Kinds, out.ids = append(out.Kinds, p.Kinds[file]), append(out.ids, p.ids[file])
			for f := range fields {
				out.Lengths[f] = append(out.Lengths[f], p.Lengths[f][file])
			}
		}
	}
	out.live = out.size()
	out.gone = make([]uint64, (out.live+63)/64)
	out.Words = mergeTerms(parts, func(p *part) *dictionary { return &p.segment.Words }, (*listMerger).words, nil)
	out.Names = mergeTerms(parts, func(p *part) *dictionary { return &p.segment.Names }, (*listMerger).names,
		func(p *part, from, to int) { p.names[from] = uint32(to) })
	out.mergeForward(parts)
	return out
}

// mergeForward packs the names of each file under their new numbers.
func (s *segment) mergeForward(parts []part) {
	s.ForwardAt = make([]uint32, 1, s.size()+1)
	for i := range parts {
		p := &parts[i]
		for file, number := range p.numbers {
			if number == noFile {
				continue
			}
			last := uint32(0)
			for n := range p.namesOf(uint32(file)) {
				to := p.names[n]
				s.Forward = binary.AppendUvarint(s.Forward, uint64(to-last))
				last = to
			}
			s.ForwardAt = append(s.ForwardAt, uint32(len(s.Forward)))
		}
	}
	s.Forward = bytes.Clone(s.Forward)
}

// listMerger joins the lists of one term.
type listMerger struct {
	list []byte
	last uint32
}

func (m *listMerger) delta(file uint32) uint32 {
	d := file - m.last
	m.last = file
	return d
}

func (m *listMerger) words(p *part, list []byte) {
	for l := (wordList{rest: list}); l.next(len(p.numbers)); {
		if to := p.numbers[l.file]; to != noFile {
			m.list = appendWord(m.list, m.delta(to), &l.counts)
		}
	}
}

func (m *listMerger) names(p *part, list []byte) {
	for l := (nameList{rest: list}); l.next(len(p.numbers)); {
		if to := p.numbers[l.file]; to != noFile {
			m.list = appendName(m.list, m.delta(to), l.use)
		}
	}
}

// source is a dictionary that is merged.
type source struct {
	cursor
	part   *part
	order  int // of the part
	number int // of the term
}

// mergeTerms joins dictionaries. A term that no file has any more is left out. renumbered gets the numbers of each term
// of a part, in it and in the result.
func mergeTerms(parts []part, of func(*part) *dictionary, join func(*listMerger, *part, []byte),
	renumbered func(p *part, from, to int)) dictionary {
	var heap sources
	size := 0
	for i := range parts {
		d := of(&parts[i])
		size += len(d.Entries)
		if s := (&source{cursor: d.from(0), part: &parts[i], order: i}); s.next() {
			heap = append(heap, s)
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		heap.down(i)
	}
	var b dictionaryBuilder
	b.Entries = make([]byte, 0, size)
	var m listMerger
	var term []byte
	for len(heap) > 0 {
		term = append(term[:0], heap[0].term...)
		m.list, m.last = m.list[:0], 0
		for len(heap) > 0 && bytes.Equal(heap[0].term, term) {
			s := heap[0]
			join(&m, s.part, s.list)
			if renumbered != nil {
				renumbered(s.part, s.number, b.N)
			}
			if s.number++; !s.next() || s.number >= of(s.part).N {
				heap[0] = heap[len(heap)-1]
				heap = heap[:len(heap)-1]
			}
			if len(heap) > 0 {
				heap.down(0)
			}
		}
		if len(m.list) > 0 {
			b.add(term, m.list)
		}
	}
	return b.finish()
}

// sources is a heap: the first term comes first, of equal ones that of the first part.
type sources []*source

func (h sources) less(a, b int) bool {
	c := bytes.Compare(h[a].term, h[b].term)
	return c < 0 || c == 0 && h[a].order < h[b].order
}

// down moves a source to its place below.
func (h sources) down(i int) {
	for {
		child := 2*i + 1
		if child+1 < len(h) && h.less(child+1, child) {
			child++
		}
		if child >= len(h) || !h.less(child, i) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
