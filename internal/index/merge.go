package index

import (
	"bytes"
	"encoding/binary"
)

// part is a segment to be merged. gone has the files that had already been removed when merging
// began.
type part struct {
	*segment
	gone    []uint64
	numbers []uint32 // by file: its number in the merged segment
	names   []uint32 // by name: its number in the merged segment
}

const noFile = 1<<32 - 1

// merge makes one segment of the remaining files of several segments, and keeps their order.
func merge(parts []part) *segment {
	out := &segment{}
	for i := range parts {
		p := &parts[i]
		p.numbers = make([]uint32, p.size())
		p.names = make([]uint32, len(p.segment.Names.Hashes))
		for file := range p.numbers {
			p.numbers[file] = noFile
			if isSet(p.gone, uint32(file)) {
				continue
			}
			p.numbers[file] = uint32(len(out.Kinds))
			out.Kinds, out.paths = append(out.Kinds, p.Kinds[file]), append(out.paths, p.paths[file])
			for f := range fields {
				out.Lengths[f] = append(out.Lengths[f], p.Lengths[f][file])
			}
		}
	}
	out.live = out.size()
	out.gone = make([]uint64, (out.live+63)/64)
	words, names := make([]*lists, len(parts)), make([]*lists, len(parts))
	for i := range parts {
		words[i], names[i] = &parts[i].segment.Words, &parts[i].segment.Names
	}
	mergeLists(&out.Words, words, func(list []byte, last *uint32, k, term int) []byte {
		for l := (wordList{rest: words[k].number(term)}); l.next(parts[k].size()); {
			if to := parts[k].numbers[l.file]; to != noFile {
				list, *last = appendWord(list, to-*last, &l.counts), to
			}
		}
		return list
	})
	mergeLists(&out.Names, names, func(list []byte, last *uint32, k, term int) []byte {
		for l := (nameList{rest: names[k].number(term)}); l.next(parts[k].size()); {
			if to := parts[k].numbers[l.file]; to != noFile {
				list, *last = appendName(list, to-*last, l.use), to
			}
		}
		parts[k].names[term] = uint32(len(out.Names.Hashes))
		return list
	})
	out.mergeForward(parts)
	return out
}

// mergeForward writes the names of each file with the numbers that they have in the merged segment.
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

// mergeLists merges the lists of terms that occur in several sources. join appends to list the
// files that a source has for a term, by their numbers in the merged segment, and returns it; *last
// is the file appended last. A term that no remaining file has is left out.
func mergeLists(out *lists, sources []*lists, join func(list []byte, last *uint32, source, term int) []byte) {
	next := make([]int, len(sources)) // by source: the next term to merge
	var list []byte
	for {
		lowest, more := uint64(0), false
		for i, s := range sources {
			if next[i] < len(s.Hashes) && (!more || s.Hashes[next[i]] < lowest) {
				lowest, more = s.Hashes[next[i]], true
			}
		}
		if !more {
			out.clip()
			return
		}
		last := uint32(0)
		list = list[:0]
		for i, s := range sources {
			if next[i] < len(s.Hashes) && s.Hashes[next[i]] == lowest {
				list = join(list, &last, i, next[i])
				next[i]++
			}
		}
		if len(list) > 0 {
			out.add(lowest, list)
		}
	}
}
