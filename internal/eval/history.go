package eval

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
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

// commit is one commit of a history, with the names that its files had then.
type commit struct {
	event event.Event // Paths, Gone
	moved event.Event // its renames, From → Paths; no Paths if nothing was renamed
}

// readHistory reads the commits of a repository except merges, oldest first by committer time,
// without the excluded files. Files have the names of their time. The daemon's importer, in
// contrast, uses today's names, which a replay must not know.
//
// Finding a rename of a changed file needs the contents of both. In a partial clone, which lacks
// contents, only renames of unchanged files are found.
func readHistory(ctx context.Context, dir string, env []string, excluded func(event.Path) bool) ([]commit, error) {
	commits, err := readRenames(ctx, dir, env, excluded, "50%")
	var failed *exec.ExitError
	if errors.As(err, &failed) && ctx.Err() == nil {
		return readRenames(ctx, dir, env, excluded, "100%")
	}
	return commits, err
}

func readRenames(ctx context.Context, dir string, env []string, excluded func(event.Path) bool,
	renames string) ([]commit, error) {
	var out []commit
	err := watcher.ReadLog(ctx, git.Find(env), dir, watcher.LogOptions{From: []string{"HEAD"}, Renames: renames},
		func(c *watcher.Commit) error {
			out = append(out, newCommit(c, excluded))
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read history of %s: %w", dir, err)
	}
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b commit) int { return a.event.Time.Compare(b.event.Time) })
	return out, nil
}

func newCommit(c *watcher.Commit, excluded func(event.Path) bool) commit {
	when := time.Unix(c.Time, 0).UTC()
	var out commit
	b := event.Commit{Text: c.Subject, Terms: redact.Terms(c.Subject, event.MaxTerms)}
	var moved event.Rename
	for _, f := range c.Files {
		switch {
		case excluded != nil && excluded(f.Path):
			continue
		case f.Status == 'D':
			b.Gone = append(b.Gone, f.Path)
			continue
		case f.From != "":
			moved.From, moved.To = append(moved.From, f.From), append(moved.To, f.Path)
		}
		b.Paths = append(b.Paths, f.Path)
	}
	out.event = event.Event{ID: "commit:" + c.ID, Time: when, Agent: "git", Body: b}
	out.moved = event.Event{ID: "rename:" + c.ID, Time: when, Agent: "git", Body: moved}
	return out
}

// events returns the commits in the order in which the daemon gets them: the renames of a commit
// come before it.
func events(commits []commit) []event.Event {
	out := make([]event.Event, 0, len(commits))
	for _, c := range commits {
		if len(c.moved.Paths()) > 0 {
			out = append(out, c.moved.Normalize(c.moved.Time))
		}
		if len(c.event.Paths())+len(c.event.Gone()) > 0 {
			out = append(out, c.event.Normalize(c.event.Time))
		}
	}
	return out
}

// History returns a Source with only the commits of a repository. Files that excluded matches are
// left out; excluded may be nil.
func History(ctx context.Context, name, dir string, env []string, excluded func(event.Path) bool) (Source, error) {
	commits, err := readHistory(ctx, dir, env, excluded)
	if err != nil {
		return Source{}, err
	}
	return Source{Name: name, Commits: events(commits), Clone: &Clone{dir, env}}, nil
}
