package cold

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The first byte of packed data.
const (
	packedRaw  = 0
	packedZstd = 1
)

const (
	leastPacked = 1024    // bytes from which compressing is worth its time: less fits into a page as it is
	pieceBytes  = 1 << 20 // of packed data in one row
	maxMeta     = 8 << 20 // bytes of a blob's meta that are read back
	maxBlob     = 1 << 30 // bytes of data that are read back
)

// Coders are kept only as long as the collector lets them be: an idle daemon needs none.
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

// pack compresses data where that makes it smaller.
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

// unpack is the inverse of pack. What unpacks to more than limit bytes is ErrRow: the size that the frame says is asked
// before memory is made for it.
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
	return nil, fmt.Errorf("%w: packed data begins with no known byte", ErrRow)
}

// Packed is a blob that is ready to be written: what takes long was done before the transaction.
type Packed struct {
	Blob
	Stored int64 // bytes on disk
	meta   []byte
	pieces [][]byte
}

// Pack compresses and seals a blob. Each part is bound to its place, and the last piece is marked: none can be moved or
// left out.
func (o *Owner) Pack(v Blob) Packed {
	p := Packed{Blob: v, meta: o.b.o.Seal.Seal(o.metaOf(v.Key), pack(v.Meta))}
	packed := pack(v.Data)
	for n := 0; ; n++ {
		size := min(len(packed), pieceBytes)
		p.pieces = append(p.pieces, o.b.o.Seal.Seal(o.pieceOf(v.Key, n, size == len(packed)), packed[:size]))
		if packed = packed[size:]; len(packed) == 0 {
			break
		}
	}
	p.Stored = int64(len(p.meta))
	for _, piece := range p.pieces {
		p.Stored += int64(len(piece))
	}
	return p
}

// What the sealed parts of a blob belong to.
func (o *Owner) metaOf(key string) string { return "meta " + o.name + " " + key }
func (o *Owner) pieceOf(key string, n int, last bool) string {
	return fmt.Sprintf("piece %d %v %s %s", n, last, o.name, key)
}
