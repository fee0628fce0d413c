package reload

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Reasons to drop an entry besides not being used.
const (
	maxFailureRate = 0.5     // of at least minTried replays
	minTried       = 3       //
	maxBytes       = 900_000 // of all entries as stored: the steady state is below a megabyte
)

// Evict drops entries that were not used for too long, that fail more often than they succeed, and that are stale;
// when there are too many, writing drops those used least recently.
func (c *Cache) Evict(ctx context.Context, w Worktree) {
	if c.load(ctx) != nil {
		return
	}
	c.evict(w)
	if err := c.write(ctx); err != nil && ctx.Err() == nil {
		c.o.Log.Warn("sequences not written", "err", err)
	}
}

func (c *Cache) evict(w Worktree) {
	dir, err := os.OpenRoot(string(w.Root))
	if err == nil {
		defer dir.Close()
	}
	c.mu.Lock()
	all := slices.Collect(maps.Values(c.entries))
	c.mu.Unlock()
	stale := map[*Entry]bool{}
	for _, e := range all {
		stale[e] = dir != nil && c.stale(dir, e)
	}
	cfg, now := c.o.config(), c.o.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range all {
		if c.entries[e.ID] != e {
			continue
		}
		tried := e.Successes + e.Failures
		if e.Used.Sub(now) > 24*time.Hour { // of a clock that ran ahead
			e.Used = now
			c.changed(e.ID)
		}
		why := ""
		switch {
		case now.Sub(e.Used) > cfg.MaxIdle:
			why = "idle"
		case tried >= minTried && float64(e.Failures) > maxFailureRate*float64(tried):
			why = "failing"
		case stale[e]:
			why = "stale"
		}
		if why != "" {
			c.drop(e)
			c.count(countEvicted + ":" + why)
		}
	}
}

// bytes is the stored size of an entry; before it is written, an estimate.
func (e *Entry) bytes() int {
	if e.size > 0 {
		return e.size
	}
	n := 512 + len(e.Text)
	for _, a := range e.Actions {
		n += 64 + len(a.Command)
		for _, s := range a.Edits {
			n += (len(s.Old) + len(s.New)) / 2
		}
	}
	return n
}

// stale reports whether the files of an entry have changed too much: more than half of them are gone, or it changes
// files and others have changed all of these since. A sequence that only reads stays: a replay shows what changed.
func (c *Cache) stale(dir *os.Root, e *Entry) bool {
	lost, wrote, other := 0, 0, 0
	for _, f := range e.Files {
		now := c.hashes.in(dir, f.Path)
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

// ForgetID drops one entry.
func (c *Cache) ForgetID(ctx context.Context, id string) error {
	e, err := c.Get(ctx, id)
	if err == nil {
		_, err = c.forget(ctx, func(o *Entry) bool { return o.ID == e.ID })
	}
	return err
}

// ForgetAll drops all entries, and the undo records with them: they hold contents of files.
func (c *Cache) ForgetAll(ctx context.Context) (int, error) {
	n, err := c.forget(ctx, func(*Entry) bool { return true })
	return n, errors.Join(err, c.o.DB.DropUndos(ctx))
}

func (c *Cache) forget(ctx context.Context, goes func(*Entry) bool) (n int, err error) {
	if err := c.load(ctx); err != nil {
		return 0, err
	}
	c.mu.Lock()
	for _, e := range c.entries {
		if goes(e) {
			c.drop(e)
			n++
		}
	}
	c.mu.Unlock()
	c.folded.clear()
	_, err = c.Flush(ctx) // a replay of the log must not bring them back
	return n, err
}

// names reports whether an entry refers to a file, or to anything below a folder.
func (e *Entry) names(p event.Path) bool {
	below := func(q event.Path) bool { return q == p || strings.HasPrefix(string(q), string(p)+"/") }
	for _, a := range e.Actions {
		if slices.ContainsFunc(a.Paths, below) || below(a.Folder) || strings.Contains(a.Command, string(p)) {
			return true
		}
	}
	return strings.Contains(e.Text, string(p)) || slices.ContainsFunc(e.Files, func(f File) bool { return below(f.Path) })
}
