package cold

import (
	"cmp"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The first byte of packed data tells how it is packed.
const (
	packedRaw  = 0
	packedZstd = 1
)

const (
	leastPacked = 1024      // smaller blobs are not compressed, because they fit into a page as they are
	maxMeta     = 8 << 20   // bytes of a blob's meta, when it is read
	maxBlob     = 900 << 20 // bytes of a blob's data, also when packed; SQLite allows 10^9 per row
)

// Encoders and decoders are in pools, so that the garbage collector can free them in an idle
// daemon.
var (
	encoders = sync.Pool{New: func() any {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // the options are constants
		}
		return e
	}}
	decoders = sync.Pool{New: func() any {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxBlob))
		if err != nil {
			panic(err) // the options are constants
		}
		return d
	}}
)

// pack compresses data if that makes it smaller.
func pack(data []byte) []byte {
	if len(data) >= leastPacked {
		e := encoders.Get().(*zstd.Encoder)
		small := e.EncodeAll(data, append(make([]byte, 0, len(data)/2+64), packedZstd))
		encoders.Put(e)
		if len(small) <= len(data) {
			return small
		}
	}
	return append(append(make([]byte, 0, len(data)+1), packedRaw), data...)
}

// unpack is the inverse of pack. If data would unpack to more than limit bytes the error is ErrRow;
// the size is read from the frame before memory is allocated.
func unpack(packed []byte, limit int64) ([]byte, error) {
	switch {
	case len(packed) == 0:
	case packed[0] == packedRaw:
		return packed[1:], nil
	case packed[0] == packedZstd:
		var h zstd.Header
		if err := h.Decode(packed[1:]); err != nil || !h.HasFCS || h.FrameContentSize > uint64(limit) {
			return nil, fmt.Errorf("%w: packed data has no size, or one beyond %d bytes (%v)", ErrRow, limit, err)
		}
		d := decoders.Get().(*zstd.Decoder)
		defer decoders.Put(d)
		data, err := d.DecodeAll(packed[1:], make([]byte, 0, h.FrameContentSize))
		if err != nil || int64(len(data)) > limit {
			return nil, fmt.Errorf("%w: packed data of %d bytes: %v", ErrRow, len(data), err)
		}
		return data, nil
	}
	return nil, fmt.Errorf("%w: packed data begins with an unknown byte", ErrRow)
}

// pack compresses and seals a blob. The result can be opened only under the same owner and key.
func (o *Owner) pack(v Blob) Blob {
	v.Meta = o.b.seal.Seal(o.metaOf(v.Key), pack(v.Meta))
	v.Data = o.b.seal.Seal(o.dataOf(v.Key), pack(v.Data))
	return v
}

// open is the inverse of Owner.pack. Meta or Data that cannot be opened become nil.
func (o *Owner) open(v *Blob) error {
	meta, merr := o.openPart(o.metaOf(v.Key), v.Meta, maxMeta)
	data, derr := o.openPart(o.dataOf(v.Key), v.Data, cmp.Or(o.rule.Max, maxBlob))
	v.Meta, v.Data = meta, data
	return errors.Join(merr, derr)
}

func (o *Owner) openPart(of string, sealed []byte, limit int64) ([]byte, error) {
	if sealed == nil { // the row comes from a list, without data
		return nil, nil
	}
	packed, err := o.b.seal.Open(of, sealed)
	if err != nil {
		return nil, err
	}
	data, err := unpack(packed, limit)
	if err != nil {
		err = fmt.Errorf("%s: %w", of, err)
	}
	return data, err
}

// The names to which the sealed parts of a blob are bound.
func (o *Owner) metaOf(key string) string { return "meta " + o.name + " " + key }
func (o *Owner) dataOf(key string) string { return "data " + o.name + " " + key }
