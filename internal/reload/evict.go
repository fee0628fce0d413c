package reload

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

const sqlTrimUndos = "DELETE FROM undos WHERE id NOT IN (SELECT id FROM undos ORDER BY rowid DESC LIMIT ?)"

// Reasons to drop an entry besides not being used.
const (
	maxFailureRate = 0.5     // of at least minTried replays
	minTried       = 3       //
	maxBytes       = 900_000 // of all entries as stored: the steady state is below a megabyte
)

// Evict drops entries that were not used for too long, that fail more often than they succeed, that are stale, and then those used least
// recently until the rest fits.
func (c *Cache) Evict(ctx context.Context, w Worktree) {
	if c.load(ctx) != nil {
		return
	}
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
	slices.SortFunc(all, func(a, b *Entry) int { return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.ID, b.ID)) })
	kept, bytes := 0, 0
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
		case kept >= maxEntries || bytes+e.bytes() > maxBytes:
			why = "full"
		}
		if why == "" {
			kept, bytes = kept+1, bytes+e.bytes()
			continue
		}
		c.drop(e)
		c.count(countEvicted + ":" + why)
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

// stale reports whether the files of an entry have changed too much: more than half of them are gone, or it changes files and others have
// changed all of these since. A sequence that only reads stays: a replay shows what changed.
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

// Forget drops what names a file or a folder, comes from a session, or was recorded since.
func (c *Cache) Forget(ctx context.Context, f cold.ForgetFilter) error {
	_, err := c.forget(ctx, func(e *Entry) bool {
		return f.Path != "" && e.names(f.Path) || f.Session != "" && e.Session == f.Session ||
			!f.Since.IsZero() && !e.Created.Before(f.Since)
	}, f.Session, true)
	return err
}

// ForgetID drops one entry.
func (c *Cache) ForgetID(ctx context.Context, id string) error {
	e, err := c.Get(ctx, id)
	if err == nil {
		_, err = c.forget(ctx, func(o *Entry) bool { return o.ID == e.ID }, "", false)
	}
	return err
}

// ForgetAll drops all entries.
func (c *Cache) ForgetAll(ctx context.Context) (int, error) {
	return c.forget(ctx, func(*Entry) bool { return true }, "", true)
}

// forget drops entries, and the undo records with them: they hold contents of files.
func (c *Cache) forget(ctx context.Context, goes func(*Entry) bool, session string, undos bool) (int, error) {
	if err := c.load(ctx); err != nil {
		return 0, err
	}
	c.mu.Lock()
	n := 0
	for _, e := range c.entries {
		if goes(e) {
			c.drop(e)
			n++
		}
	}
	if undos { // an unreadable row may contain what must be forgotten
		for _, id := range c.bad {
			c.changed(id)
		}
		n, c.bad = n+len(c.bad), nil
	}
	clear(c.turns)
	c.mu.Unlock()
	err := c.file.Write(ctx, "forget recorded sequences", func(tx *cold.Tx) error {
		if undos {
			if _, err := tx.Exec(sqlTrimUndos, 0); err != nil {
				return err
			}
		}
		_, err := tx.Exec("DELETE FROM offers WHERE session = ?", session)
		return err
	})
	if err == nil {
		err = c.write(ctx)
	}
	if err != nil {
		return n, fmt.Errorf("forget recorded sequences: %w", err)
	}
	return n, nil
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
