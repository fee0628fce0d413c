package eval

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
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
	Clone   *Clone        // nil: what files held is not known
}

// Clone is where contents of files are read, and what git alone knows of commits.
type Clone struct {
	Dir    string
	Env    []string
	Bodies map[string]string // ID of a commit's event → its message behind the subject

	Blobs map[string][]Blob // Short name of a commit → what its files hold from then on
}

// Blob is what a file held from a commit on.
type Blob struct {
	Path event.Path
	ID   string
}

// commit is one commit of a history with the names that its files had at the time, and what they held.
type commit struct {
	sha   string
	event event.Event // Paths, Gone
	body  string      // of the message, behind its subject
	moved event.Event // From → Paths; no Paths if nothing was renamed
	blobs []Blob
}

// ShortName is how much of a commit's name a recorded history keeps at least.
const ShortName = 12

// Short is by what the versions of a commit are found.
func Short(sha string) string { return sha[:min(ShortName, len(sha))] }

// readHistory reads the commits of a repository that are not merges, oldest first by committer time, with the names of
// their time: the importer of the daemon knows today's names, which a replay must not. excluded files are left out.
//
// Renames with changes need contents: where those were not fetched (a partial clone), only exact renames are known.
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
	err := watcher.ReadLog(ctx, git.Find(env), dir, watcher.LogOptions{From: []string{"HEAD"}, Renames: renames,
		Bodies: true},
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
	out := commit{sha: c.ID, body: strings.TrimSpace(c.Body)}
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
		out.blobs = append(out.blobs, Blob{f.Path, f.Blob})
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

// History is a source of a repository's commits alone. Files that excluded matches are left out; nil leaves out none.
func History(ctx context.Context, name, dir string, env []string, excluded func(event.Path) bool) (Source, error) {
	commits, err := readHistory(ctx, dir, env, excluded)
	if err != nil {
		return Source{}, err
	}
	c := &Clone{Dir: dir, Env: env, Bodies: map[string]string{}, Blobs: map[string][]Blob{}}
	for _, x := range commits {
		c.Blobs[Short(x.sha)] = x.blobs
		c.Bodies[x.event.ID] = x.body
	}
	return Source{Name: name, Commits: events(commits), Clone: c}, nil
}
