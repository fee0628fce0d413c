package stage

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/cold"
)

// Statements.
const (
	sqlDoomed    = "SELECT key FROM entries WHERE (?1 = '' OR stage = ?1 OR key = ?1) AND used < ?2"
	sqlTotal     = "SELECT count(*), coalesce(sum(bytes), 0) FROM entries"
	sqlDigests   = "SELECT path, size, mtime, ctime, inode, mode, sum FROM digests ORDER BY seen DESC LIMIT ?"
	sqlPutDigest = "INSERT OR REPLACE INTO digests (path, size, mtime, ctime, inode, mode, sum, seen) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
	// ?1 now, ?2 a time in the future, of a clock that ran ahead; the same for the next statement
	sqlDateEntries = "UPDATE entries SET used = ?1 WHERE used > ?2"
	sqlDateDigests = "UPDATE digests SET seen = ?1 WHERE seen > ?2"
	sqlDropCalls   = "DELETE FROM calls WHERE at < ?1 OR at > ?2"
)

// evict drops entries that were not used for o.Keep, then those used least recently until the rest fits.
func (c *Cache) evict(ctx context.Context, f *cold.File) error {
	doomed, err := keys(ctx, f, sqlDoomed, "", c.o.Now().Add(-c.o.Keep()).UnixMilli())
	if err != nil {
		return err
	}
	if err := c.drop(ctx, f, doomed...); err != nil {
		return err
	}
	var n, total int64
	if _, err := f.Scan(ctx, sqlTotal, nil, &n, &total); err != nil || total <= c.o.Bytes() {
		return err
	}
	doomed = nil
	err = f.Each(ctx, "SELECT key, bytes FROM entries ORDER BY used, key", nil, func(rows cold.Row) error {
		var key string
		var bytes int64
		if err := rows.Scan(&key, &bytes); err != nil {
			return err
		}
		if total > c.o.Bytes() {
			doomed, total = append(doomed, key), total-bytes
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.drop(ctx, f, doomed...)
}

func keys(ctx context.Context, f *cold.File, name string, args ...any) (out []string, err error) {
	err = f.Each(ctx, name, args, func(rows cold.Row) error {
		var k string
		err := rows.Scan(&k)
		if err == nil {
			out = append(out, k)
		}
		return err
	})
	return out, err
}

// Sweep drops what is too old or too much, sessions that were not used for sessionKeep, and files without a row,
// which a crash left. A cache that was never used is not opened.
func (c *Cache) Sweep(ctx context.Context) error {
	if !c.used() {
		return nil
	}
	f, err := c.open(ctx)
	if err != nil {
		return err
	}
	// What was written under a clock that ran ahead would stay for as long.
	now := c.o.Now()
	err = f.Write(ctx, "date results", func(tx *cold.Tx) error {
		for _, statement := range []string{sqlDateEntries, "UPDATE runs SET at = ?1 WHERE at > ?2", sqlDateDigests} {
			if _, err := tx.Exec(statement, now.UnixMilli(), now.Add(unlistedAge).UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.evict(ctx, f); err != nil {
		return err
	}
	if err := c.forgetSessions(ctx, f, c.o.Now().Add(-sessionKeep)); err != nil {
		return err
	}
	err = f.Write(ctx, "drop digests", func(tx *cold.Tx) error {
		if _, err := tx.Exec(sqlDropCalls, now.Add(-callKeep).UnixMilli(), now.Add(callKeep).UnixMilli()); err != nil {
			return err
		}
		_, err := tx.Exec("DELETE FROM digests WHERE seen < ?", now.Add(-digestKeep).UnixMilli())
		return err
	})
	if err != nil {
		return err
	}
	return c.sweepFiles(ctx, f)
}

const (
	sessionKeep = 90 * 24 * time.Hour
	digestKeep  = 30 * 24 * time.Hour
	callKeep    = 24 * time.Hour // a call is not repeated later
	unlistedAge = time.Hour      // a younger file may be about to get its row
)

var isKey = regexp.MustCompile(`^[0-9a-f]{24}$`)

func (c *Cache) sweepFiles(ctx context.Context, f *cold.File) error {
	all, err := keys(ctx, f, "SELECT key FROM entries")
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, k := range all {
		known[k] = true
	}
	files, err := os.ReadDir(c.o.Dir)
	if os.IsNotExist(err) {
		return nil
	}
	for _, e := range files {
		_, part := atomicfile.PartOf(e.Name())
		ours := part || isKey.MatchString(e.Name()) && !known[e.Name()]
		if info, err := e.Info(); ours && err == nil && c.o.Now().Sub(info.ModTime()) > unlistedAge {
			_ = os.Remove(c.blob(e.Name())) // the next sweep tries again
		}
	}
	return err
}

// loadDigests reads the digests that an earlier daemon computed.
func (c *Cache) loadDigests(ctx context.Context, f *cold.File) error {
	return f.Each(ctx, sqlDigests, []any{maxLoaded}, func(rows cold.Row) error {
		var name string
		var d digest
		var sum []byte
		var inode, mode int64
		if err := rows.Scan(&name, &d.id.size, &d.id.mtime, &d.id.ctime, &inode, &mode, &sum); err != nil {
			return err
		}
		if len(sum) != len(d.sum) {
			return fmt.Errorf("%w: digest of %q: %d bytes", cold.ErrRow, name, len(sum))
		}
		d.id.inode, d.id.mode = uint64(inode), os.FileMode(mode)
		copy(d.sum[:], sum)
		c.memo.put(name, d)
		return nil
	})
}

// maxLoaded bounds what is read at the first use: 2 µs each.
const maxLoaded = 100_000

// CloseIdle writes new digests to the disk, so that the next daemon need not read those files. It opens nothing. The
// file stays open: to open it reads all digests, which would make the next hit slow.
func (c *Cache) CloseIdle() error {
	ctx := context.Background()
	c.mu.Lock()
	f := c.file
	c.mu.Unlock()
	if f == nil {
		return nil
	}
	fresh := c.memo.take()
	if len(fresh) == 0 {
		return nil
	}
	now := c.o.Now().UnixMilli()
	return f.Write(ctx, "keep digests", func(tx *cold.Tx) error {
		for name, d := range fresh {
			_, err := tx.Exec(sqlPutDigest, name, d.id.size, d.id.mtime, d.id.ctime, int64(d.id.inode), int64(d.id.mode),
				d.sum[:], now)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
