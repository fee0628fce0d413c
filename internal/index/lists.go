package index

import (
	"encoding/binary"
	"slices"
)

// lists maps the hash of a term to a packed list of files. A lists never changes once it is made.
type lists struct {
	Hashes []uint64 // hashes of the terms, sorted
	Ends   []uint32 // for each term, the index in Bytes after the end of its list
	Bytes  []byte
}

// termHash returns the FNV-1a hash of a term, mixed once more. Files on disk depend on it. Among a
// million terms, two have the same hash with a probability of 3e-8; a search for one of them then
// also finds the files of the other.
func termHash[T string | []byte](term T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(term) {
		h = (h ^ uint64(term[i])) * 1099511628211
	}
	return h ^ h>>29
}

// add appends a term with its list. The caller adds terms in the order of their hashes.
func (l *lists) add(hash uint64, list []byte) {
	l.Bytes = append(l.Bytes, list...)
	l.Hashes, l.Ends = append(l.Hashes, hash), append(l.Ends, uint32(len(l.Bytes)))
}

// clip copies the lists to memory of exactly their size.
func (l *lists) clip() {
	l.Hashes, l.Ends, l.Bytes = slices.Clone(l.Hashes), slices.Clone(l.Ends), slices.Clone(l.Bytes)
}

// bytes returns the number of bytes in memory.
func (l *lists) bytes() int { return 12*len(l.Hashes) + len(l.Bytes) }

// number returns the list of the n-th term.
func (l *lists) number(n int) []byte {
	start := uint32(0)
	if n > 0 {
		start = l.Ends[n-1]
	}
	return l.Bytes[start:l.Ends[n]]
}

// find returns the list of the term with this hash, nil if none exists.
func (l *lists) find(hash uint64) []byte {
	if n, found := slices.BinarySearch(l.Hashes, hash); found {
		return l.number(n)
	}
	return nil
}

// valid reports whether the hashes and the ends of the lists are in order. A file on disk may be
// damaged.
func (l *lists) valid() bool {
	end := 0
	if len(l.Ends) > 0 {
		end = int(l.Ends[len(l.Ends)-1])
	}
	return len(l.Hashes) == len(l.Ends) && end == len(l.Bytes) && slices.IsSorted(l.Ends) && slices.IsSorted(l.Hashes)
}

func uvarint(b *[]byte) (uint64, bool) {
	if len(*b) > 0 && (*b)[0] < 0x80 {
		v := (*b)[0]
		*b = (*b)[1:]
		return uint64(v), true
	}
	v, size := binary.Uvarint(*b)
	if size <= 0 {
		return 0, false
	}
	*b = (*b)[size:]
	return v, true
}
