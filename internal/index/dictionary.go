package index

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// dictionary is a sorted list of terms, each with a list of files, in one piece of memory. An entry is
//
//	uvarint: bytes that it shares with the term before · uvarint: length of the rest · the rest · uvarint: length of the list · the list
//
// Every 16th entry shares nothing, so that a search begins there. It never changes.
type dictionary struct {
	Entries []byte
	Blocks  []uint32 // where every 16th entry begins
	Filter  []uint64 // a Bloom filter of the terms
	N       int      // terms
}

const (
	blockTerms = 16
	maxEntry   = 256 // bytes of a term; see maxToken and maxName
	filterBits = 10  // for each term
	filterAt   = 3   // of them are looked at: one term of 60 that is not there passes
)

// dictionaryBuilder makes a dictionary of terms that come in order.
type dictionaryBuilder struct {
	dictionary
	last   []byte
	hashes []uint64
}

func (b *dictionaryBuilder) add(term, list []byte) {
	shared := 0
	if b.N%blockTerms == 0 {
		b.Blocks = append(b.Blocks, uint32(len(b.Entries)))
	} else {
		for shared < len(term) && shared < len(b.last) && term[shared] == b.last[shared] {
			shared++
		}
	}
	b.Entries = binary.AppendUvarint(b.Entries, uint64(shared))
	b.Entries = binary.AppendUvarint(b.Entries, uint64(len(term)-shared))
	b.Entries = append(b.Entries, term[shared:]...)
	b.Entries = binary.AppendUvarint(b.Entries, uint64(len(list)))
	b.Entries = append(b.Entries, list...)
	b.last = append(b.last[:0], term...)
	b.hashes = append(b.hashes, termHash(term))
	b.N++
}

// finish returns the dictionary, in memory of its size.
func (b *dictionaryBuilder) finish() dictionary {
	b.Filter = make([]uint64, (len(b.hashes)*filterBits+63)/64)
	for _, h := range b.hashes {
		for bit := range filterPlaces(h, len(b.Filter)) {
			b.Filter[bit/64] |= 1 << (bit % 64)
		}
	}
	b.Entries, b.Blocks = bytes.Clone(b.Entries), append(make([]uint32, 0, len(b.Blocks)), b.Blocks...)
	return b.dictionary
}

// termHash is FNV-1a, mixed once more. Files on disk depend on it.
func termHash[T string | []byte](term T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(term) {
		h = (h ^ uint64(term[i])) * 1099511628211
	}
	return h ^ h>>29
}

func filterPlaces(h uint64, words int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for range filterAt {
			if !yield(h % uint64(words*64)) {
				return
			}
			h = h*0x9E3779B97F4A7C15 + 1
			h ^= h >> 32
		}
	}
}

// may reports whether the dictionary can have a term with that hash.
func (d *dictionary) may(h uint64) bool {
	if d.N == 0 || len(d.Filter) == 0 {
		return false
	}
	for bit := range filterPlaces(h, len(d.Filter)) {
		if d.Filter[bit/64]&(1<<(bit%64)) == 0 {
			return false
		}
	}
	return true
}

// cursor reads entries one after the other. It ends at the first one that is damaged.
type cursor struct {
	rest []byte
	term []byte // valid until next
	list []byte
}

func (c *cursor) next() bool {
	shared, ok := uvarint(&c.rest)
	if !ok || shared > uint64(len(c.term)) {
		return false
	}
	suffix, ok := cut(&c.rest)
	if !ok || len(suffix)+int(shared) > maxEntry {
		return false
	}
	c.term = append(c.term[:shared], suffix...)
	c.list, ok = cut(&c.rest)
	return ok
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

// cut takes a length and as many bytes.
func cut(b *[]byte) ([]byte, bool) {
	n, ok := uvarint(b)
	if !ok || n > uint64(len(*b)) {
		return nil, false
	}
	v := (*b)[:n]
	*b = (*b)[n:]
	return v, true
}

// from returns a cursor before the first entry of a block.
func (d *dictionary) from(block int) cursor {
	if block >= len(d.Blocks) || uint64(d.Blocks[block]) > uint64(len(d.Entries)) {
		return cursor{}
	}
	return cursor{rest: d.Entries[d.Blocks[block]:]}
}

// listOf returns the list of a term with that hash, nil if the dictionary does not have it.
func (d *dictionary) listOf(term string, hash uint64) []byte {
	if !d.may(hash) {
		return nil
	}
	low, high := 0, len(d.Blocks) // the block that can have the term is before high
	for low < high {
		middle := (low + high) / 2
		c := d.from(middle)
		if shared, ok := uvarint(&c.rest); !ok || shared != 0 {
			return nil
		}
		if first, ok := cut(&c.rest); ok && string(first) <= term {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == 0 {
		return nil
	}
	var space [maxEntry]byte
	c := d.from(low - 1)
	c.term = space[:0]
	for range blockTerms {
		if !c.next() || string(c.term) > term {
			return nil
		}
		if string(c.term) == term {
			return c.list
		}
	}
	return nil
}

// terms yields the terms with these numbers, which are in order, each with its list. A term is valid until the next
// one.
func (d *dictionary) terms(numbers iter.Seq[uint32]) iter.Seq2[[]byte, []byte] {
	return func(yield func(term, list []byte) bool) {
		var space [maxEntry]byte
		at, c := 0, cursor{} // number of the entry that comes next
		c.term = space[:0]
		for n := range numbers {
			if block := int(n) / blockTerms; at > int(n) || at/blockTerms < block || at == 0 {
				c.rest, at = d.from(block).rest, block*blockTerms
			}
			for ; at <= int(n); at++ {
				if !c.next() {
					return
				}
			}
			if !yield(c.term, c.list) {
				return
			}
		}
	}
}
