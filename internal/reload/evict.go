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

// Evict deletes entries that were not used for too long, that fail more often than they succeed, of
// which a file is gone, or whose edited files others have changed since. Until the next cleaning,
// the last kind is still offered as a recipe, because what was edited and run is worth telling.
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
			files := e.compare(dir)
			stale[e] = files.gone || files.edited
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

// compared says what became of the files of an entry.
type compared struct {
	unchanged float64 // share of files that are as the sequence left them, or as they were before it; 1 without files
	gone      bool    // a file is gone
	edited    bool    // the sequence changes files, and others have since changed all of them
}

// compare compares the files of an entry with those on disk. A file of unknown content counts as
// changed.
func (e *Entry) compare(dir *os.Root) compared {
	if len(e.Files) == 0 {
		return compared{unchanged: 1}
	}
	c := compared{}
	same, wrote, other := 0, 0, 0
	for _, f := range e.Files {
		now := hash(dir, f.Path)
		if now != "" && (now == f.After || f.Wrote && now == f.Before) {
			same++
		}
		if f.Wrote {
			wrote++
			if f.After != "" && now != f.After && now != f.Before {
				other++
			}
		}
		c.gone = c.gone || now == gone && f.After != gone
	}
	c.unchanged, c.edited = float64(same)/float64(len(e.Files)), wrote > 0 && other == wrote
	return c
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
