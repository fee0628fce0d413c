package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/watcher"
)

// Source is the history of a repository.
type Source struct {
	Name    string
	Commits []event.Event // KindCommit, KindRename and KindUncommit in time order
	Clone   *Clone        // nil if the contents of old files are not available
}

// Clone is a clone from which contents of files are read.
type Clone struct {
	Dir string
	Env []string
}

// readHistory reads the commits of a repository except merges, oldest first by committer time,
// without the excluded files. Files have the names of their time. The daemon's importer, in
// contrast, uses today's names, which a replay must not know.
//
// The renames of a commit come before it, as the daemon gets them.
func readHistory(ctx context.Context, dir string, env []string, excluded func(event.Path) bool) (out []event.Event, err error) {
	err = watcher.ReadLog(ctx, git.Find(env), dir, watcher.LogOptions{From: []string{"HEAD"}, Renames: "HEAD"},
		func(c *watcher.Commit) error {
			made, moved := bodiesOf(c, excluded)
			at := time.Unix(c.Time, 0).UTC()
			if len(made.Paths)+len(made.Gone) > 0 {
				out = append(out, event.Event{ID: "commit:" + c.ID, Time: at, Agent: "git", Body: made}.Normalize(at))
			}
			if len(moved.To) > 0 {
				out = append(out, event.Event{ID: "rename:" + c.ID, Time: at, Agent: "git", Body: moved}.Normalize(at))
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read history of %s: %w", dir, err)
	}
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b event.Event) int { return a.Time.Compare(b.Time) })
	return out, nil
}

// bodiesOf returns a commit and its renames, with the names that its files had then.
func bodiesOf(c *watcher.Commit, excluded func(event.Path) bool) (made event.Commit, moved event.Rename) {
	made = event.Commit{Text: c.Subject, Terms: redact.Terms(c.Subject, event.MaxTerms)}
	for _, f := range c.Files {
		switch {
		case excluded != nil && excluded(f.Path):
			continue
		case f.Status == 'D' && f.Lives:
			continue
		case f.Status == 'D':
			made.Gone = append(made.Gone, f.Path)
			continue
		case f.From != "" && !f.Lives:
			moved.From, moved.To = append(moved.From, f.From), append(moved.To, f.Path)
		}
		made.Paths = append(made.Paths, f.Path)
	}
	return made, moved
}

// History returns a Source with only the commits of a repository. Files that excluded matches are
// left out; excluded may be nil.
func History(ctx context.Context, name, dir string, env []string, excluded func(event.Path) bool) (Source, error) {
	events, err := readHistory(ctx, dir, env, excluded)
	if err != nil {
		return Source{}, err
	}
	return Source{Name: name, Commits: events, Clone: &Clone{dir, env}}, nil
}
