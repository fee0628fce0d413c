package index

import (
	"bytes"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// Pack makes a new base.
func (c *Contents) Pack() { c.fold(0) }

// ForgetTokens frees what extraction knows of tokens.
func ForgetTokens() { extractors = sync.Pool{New: extractors.New} }

// Packed returns what is kept of an index on disk.
func (c *Contents) Packed() ([]byte, error) {
	versions := map[event.Path]version{}
	for p := range c.files {
		versions[p] = version{Modified: 1e18, Size: 10_000, Blob: blobID([]byte(p))}
	}
	var b bytes.Buffer
	err := c.packTo(&b, versions)
	return b.Bytes(), err
}

// Unpacked is the inverse of Packed.
func Unpacked(packed []byte) (*Contents, error) {
	c, _, err := unpack(packed, maxFiles, maxBytes)
	return c, err
}

// Len returns the number of files.
func (c *Contents) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.files)
}

func (k FileKind) String() string {
	return [...]string{"source", "test", "prose", "data", "binary"}[min(k, KindBinary)]
}
