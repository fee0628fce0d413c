package reload

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Reasons to delete an entry other than lack of use.
const (
	maxFailureRate = 0.5 // share of failed replays, of at least minTried
	minTried       = 3
)

// Evict deletes entries that were not used for too long, that fail more often than they succeed, or
// that are stale.
func (c *Cache) Evict(ctx context.Context, w Worktree) {
	if c.load(ctx) != nil {
		return
	}
	c.mu.Lock()
	all := slices.Collect(maps.Values(c.entries))
	c.mu.Unlock()
	stale := map[*Entry]bool{}
	if dir, err := os.OpenRoot(string(w.Root)); err == nil {
		for _, e := range all {
			_, stale[e] = e.compare(dir)
		}
		_ = dir.Close() // it was only read
	}
	now := c.o.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	var ids []string
	for _, e := range all {
		tried := e.Successes + e.Failures
		failing := tried >= minTried && float64(e.Failures) > maxFailureRate*float64(tried)
		if c.entries[e.ID] == e && (e.idle(now) || failing || stale[e]) {
			ids = append(ids, e.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	if err := c.drop(ctx, ids...); err != nil && ctx.Err() == nil {
		c.o.Log.Warn("dropping old sequences failed", "err", err)
	}
}

// compare compares the files of an entry with those on disk. unchanged is the share of files that
// are as the sequence left them, or as they were before it changed them; it is 1 if there are no
// files. A file of unknown content counts as changed. stale means that the entry is of no use any
// more because a file is gone. That others have changed the files since makes no entry stale: what
// was edited and ran then is still a recipe, and reads show what is there now.
func (e *Entry) compare(dir *os.Root) (unchanged float64, stale bool) {
	if len(e.Files) == 0 {
		return 1, false
	}
	same := 0
	for _, f := range e.Files {
		now := hash(dir, f.Path)
		if now != "" && (now == f.After || f.Wrote && now == f.Before) {
			same++
		}
		stale = stale || now == gone && f.After != gone
	}
	return float64(same) / float64(len(e.Files)), stale
}

// maxHashed is the number of bytes of the largest file that is hashed. The content of a larger one
// counts as unknown.
const maxHashed = 8 << 20

// hash returns the hash of a file's present content in hex, gone, or "" if it is not known.
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
