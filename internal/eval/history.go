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
	Clone   *Clone        // nil: the contents of past files are not available
}

// Clone is where contents of files are read.
type Clone struct {
	Dir string
	Env []string
}

// commit is one commit of a history with the names that its files had at the time.
type commit struct {
	event event.Event // Paths, Gone
	moved event.Event // From → Paths; no Paths if nothing was renamed
}

// readHistory reads the commits of a repository that are not merges, oldest first by committer
// time, with the names of their time: the importer of the daemon knows today's names, which a
// replay must not. excluded files are left out.
//
// Renames with changes need contents: where those were not fetched (a partial clone), only exact
// renames are known.
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

// events are the commits as the daemon gets them: a rename before the commit that made it.
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

// History is a source of a repository's commits alone. Files that excluded matches are left out;
// nil leaves out none.
func History(ctx context.Context, name, dir string, env []string, excluded func(event.Path) bool) (Source, error) {
	commits, err := readHistory(ctx, dir, env, excluded)
	if err != nil {
		return Source{}, err
	}
	return Source{Name: name, Commits: events(commits), Clone: &Clone{dir, env}}, nil
}
