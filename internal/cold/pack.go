package cold

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A commit's files are packed as
//
//	1, n, n file ids, m, m ids of deleted files, t, t terms
//
// where 1 is the version of the format, counts are uvarints, an id is the zigzag varint of its difference to
// the one before (git lists files by name, and neighbours were mostly met together), and a term is its length
// and its bytes. Order is kept: a replayed commit equals the commit that was appended.
const packVersion = 1

var errPack = errors.New("packed files are damaged")

// packed is what the column commits.files holds.
type packed struct {
	files, gone []int64 // file_stats.id
	terms       []string
}

func (p packed) pack() []byte {
	b := make([]byte, 0, 8+2*len(p.files)+2*len(p.gone)+10*len(p.terms))
	b = append(b, packVersion)
	b = packIDs(b, p.files)
	b = packIDs(b, p.gone)
	b = binary.AppendUvarint(b, uint64(len(p.terms)))
	for _, t := range p.terms {
		b = binary.AppendUvarint(b, uint64(len(t)))
		b = append(b, t...)
	}
	return b
}

func packIDs(b []byte, ids []int64) []byte {
	b = binary.AppendUvarint(b, uint64(len(ids)))
	var last int64
	for _, id := range ids {
		b = binary.AppendVarint(b, id-last)
		last = id
	}
	return b
}

// unpack never panics and never allocates more than a small multiple of its input.
func unpack(b []byte) (packed, error) {
	var p packed
	if len(b) == 0 || b[0] != packVersion {
		return p, fmt.Errorf("%w: no version %d", errPack, packVersion)
	}
	b = b[1:]
	var err error
	if p.files, b, err = unpackIDs(b); err != nil {
		return p, err
	}
	if p.gone, b, err = unpackIDs(b); err != nil {
		return p, err
	}
	n, b, err := unpackCount(b)
	if err != nil {
		return p, err
	}
	for range n {
		var size int
		if size, b, err = unpackCount(b); err != nil {
			return p, err
		}
		p.terms = append(p.terms, string(b[:size]))
		b = b[size:]
	}
	if len(b) != 0 {
		return p, fmt.Errorf("%w: %d bytes too many", errPack, len(b))
	}
	return p, nil
}

// unpackCount reads a count of things that take at least a byte each, so it cannot exceed what is left.
func unpackCount(b []byte) (int, []byte, error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return 0, nil, fmt.Errorf("%w: bad count", errPack)
	}
	return int(n), b[size:], nil
}

func unpackIDs(b []byte) ([]int64, []byte, error) {
	n, b, err := unpackCount(b)
	if err != nil || n == 0 {
		return nil, b, err
	}
	ids, last := make([]int64, n), int64(0)
	for i := range ids {
		diff, size := binary.Varint(b)
		if size <= 0 {
			return nil, nil, fmt.Errorf("%w: bad file id", errPack)
		}
		last += diff
		ids[i], b = last, b[size:]
	}
	return ids, b, nil
}
