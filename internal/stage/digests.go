package stage

import (
	"bytes"
	"context"
	"encoding/gob"
	"os"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
)

// digestKeep is how long digests stay that nothing was added to.
const digestKeep = 30 * 24 * time.Hour

// maxStored bounds the digests that are stored, 150 bytes each.
const maxStored = 100_000

// storedDigest is the digest of a file, valid as long as the file looks like this.
type storedDigest struct {
	Name               string // absolute
	Size, Mtime, Ctime int64
	Inode              uint64
	Mode               uint32
	Sum                Sum
}

// loadDigests reads the digests that an earlier daemon computed, once. Without them files are read again.
func (c *Cache) loadDigests(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded {
		return nil
	}
	v, found, err := c.digests.Get(ctx, "")
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	c.loaded = true
	var all []storedDigest
	if err != nil || !found || gob.NewDecoder(bytes.NewReader(v.Data)).Decode(&all) != nil {
		return nil
	}
	for _, d := range all {
		c.memo.put(d.Name, digest{identity{size: d.Size, mtime: d.Mtime, ctime: d.Ctime, inode: d.Inode,
			mode: os.FileMode(d.Mode)}, d.Sum})
	}
	return nil
}

// CloseIdle writes new digests, so that the next daemon need not read those files. It opens nothing.
func (c *Cache) CloseIdle() error {
	all := c.memo.take(maxStored)
	if len(all) == 0 {
		return nil
	}
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(all); err != nil {
		return err
	}
	ctx := context.Background()
	p := c.digests.Pack(cold.Blob{Data: data.Bytes()})
	_, err := c.digests.Write(ctx, "keep digests", func(tx *cold.BlobTx) error { return tx.Put(p) })
	return err
}

// dropDigests lets go of the digests in memory: something is forgotten, and they name files.
func (c *Cache) dropDigests(context.Context) error {
	c.memo.clear()
	return nil
}
