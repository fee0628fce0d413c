package llmcache

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/aoa-dev/aoa/internal/cold"
)

// The first byte of packed data.
const (
	packedRaw  = 0
	packedZstd = 1
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
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(MaxItem+1))
		if err != nil {
			panic(err) // the options are constants
		}
		return d
	}}
)

// leastPacked is the size from which compressing is worth its time.
const leastPacked = 256

// pack compresses data where that makes it smaller, and seals it.
func (c *Cache) pack(key string, data []byte) []byte {
	out := append(make([]byte, 0, len(data)+1), packedRaw)
	if len(data) >= leastPacked {
		e := encoders.Get().(*zstd.Encoder)
		small := e.EncodeAll(data, append(make([]byte, 0, len(data)/2+64), packedZstd))
		encoders.Put(e)
		if len(small) <= len(data) {
			return c.o.Seal.Seal(dataOf(key), small)
		}
	}
	return c.o.Seal.Seal(dataOf(key), append(out, data...))
}

// unpack is the inverse of pack.
func (c *Cache) unpack(key string, sealed []byte) ([]byte, error) {
	packed, err := c.o.Seal.Open(dataOf(key), sealed)
	if err != nil {
		return nil, err
	}
	return decode(packed)
}

func decode(packed []byte) ([]byte, error) {
	switch {
	case len(packed) == 0:
	case packed[0] == packedRaw:
		return packed[1:], nil
	case packed[0] == packedZstd:
		d := decoders.Get().(*zstd.Decoder)
		defer decoders.Put(d)
		data, err := d.DecodeAll(packed[1:], nil)
		if err != nil {
			return nil, fmt.Errorf("%w: packed data: %w", cold.ErrRow, err)
		}
		return data, nil
	}
	return nil, fmt.Errorf("%w: packed data begins with no known byte", cold.ErrRow)
}

// What the sealed parts of an item belong to.
func dataOf(key string) string        { return "cache data " + key }
func notesOf(key string) string       { return "cache notes " + key }
func descriptionOf(key string) string { return "cache description " + key }
