package cold

import (
	"encoding/binary"
	"iter"
)

// blockSize is how many bytes of records go into one block of the snapshot: a hundred thousand rows take ten times as
// long to write, and to read at the start, as the few hundred blocks that hold the same.
const blockSize = 64 << 10

// appendRecord adds a record to a block: the length of its key, its key, the length of its data, its data. Lengths are
// unsigned varints.
func appendRecord(block []byte, r Record) []byte {
	block = binary.AppendUvarint(block, uint64(len(r.Key)))
	block = append(block, r.Key...)
	block = binary.AppendUvarint(block, uint64(len(r.Data)))
	return append(block, r.Data...)
}

// recordsOf reads a block. Their data is cut from it. Where it is damaged, the rest comes as one record without a key,
// which the hot store cannot take for one of its own.
func recordsOf(data []byte) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for len(data) > 0 {
			rest := data
			key, ok := cut(&rest)
			text, also := cut(&rest)
			if !ok || !also || len(key) == 0 || len(text) == 0 {
				yield(Record{Data: data})
				return
			}
			data = rest
			if !yield(Record{Key: string(key), Data: text}) {
				return
			}
		}
	}
}

// cut takes what follows its own length off the front.
func cut(data *[]byte) (part []byte, ok bool) {
	n, used := binary.Uvarint(*data)
	if used <= 0 || n > uint64(len(*data)-used) {
		return nil, false
	}
	end := used + int(n)
	part, *data = (*data)[used:end:end], (*data)[end:]
	return part, true
}
