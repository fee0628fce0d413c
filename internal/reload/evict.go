package reload

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Reasons to drop an entry, other than lack of use.
const (
	maxFailureRate = 0.5 // of at least minTried replays
	minTried       = 3
)

// Evict drops entries that were not used for too long, that fail more often than they succeed, and that are stale.
func (c *Cache) Evict(ctx context.Context, w Worktree) {
	if c.load(ctx) == nil {
		c.evict(ctx, w)
	}
}

func (c *Cache) evict(ctx context.Context, w Worktree) {
	c.mu.Lock()
	all := slices.Collect(maps.Values(c.entries))
	c.mu.Unlock()
	stale := map[*Entry]bool{}
	if dir, err := os.OpenRoot(string(w.Root)); err == nil {
		for _, e := range all {
			stale[e] = e.stale(dir)
		}
		_ = dir.Close() // it was only read
	}
	now := c.o.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	var ids []string
	for _, e := range all {
		tried := e.Successes + e.Failures
		why := ""
		switch {
		case c.entries[e.ID] != e:
			continue
		case now.Sub(e.Used) > maxIdle, e.Used.Sub(now) > 24*time.Hour: // of a clock that ran ahead
			why = "idle"
		case tried >= minTried && float64(e.Failures) > maxFailureRate*float64(tried):
			why = "failing"
		case stale[e]:
			why = "stale"
		default:
			continue
		}
		ids = append(ids, e.ID)
		c.countEvicted(why, 1)
	}
	if len(ids) == 0 {
		return
	}
	if err := c.drop(ctx, ids...); err != nil && ctx.Err() == nil {
		c.o.Log.Warn("sequences are not dropped", "err", err)
	}
}

// stale reports whether the files of an entry have changed too much: more than half of them are gone, or it changes
// files and others have changed all of these since. A sequence that only reads stays: a replay shows what changed.
func (e *Entry) stale(dir *os.Root) bool {
	lost, wrote, other := 0, 0, 0
	for _, f := range e.Files {
		now := hash(dir, f.Path)
		if now == gone && f.After != gone {
			lost++
		}
		if f.Wrote {
			wrote++
			if f.After != "" && now != f.After && now != f.Before {
				other++
			}
		}
	}
	return 2*lost > len(e.Files) || wrote > 0 && other == wrote
}

// unchanged is the share of an entry's files that are as the sequence left them, or as they were before it changed
// them: 1 without files. A file of unknown content counts as changed.
func (e *Entry) unchanged(dir *os.Root) float64 {
	if len(e.Files) == 0 {
		return 1
	}
	same := 0
	for _, f := range e.Files {
		if now := hash(dir, f.Path); now != "" && (now == f.After || f.Wrote && now == f.Before) {
			same++
		}
	}
	return float64(same) / float64(len(e.Files))
}

// maxHashed is the bytes of a file that is hashed; of a larger one nothing is known.
const maxHashed = 8 << 20

// hash is that of a file's content now: hex digits, gone, or "" if it is not known.
func hash(dir *os.Root, p event.Path) string {
	text, err := regularfile.ReadIn(dir, string(p), maxHashed)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gone
	case err != nil:
		return ""
	}
	return index.BlobID(text)
}
