package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/watcher"
)

// commit is one commit of a history with the names that its files had at the time, and what they held.
type commit struct {
	sha   string
	event event.Event // Paths, Gone
	body  string      // of the message, behind its subject
	moved event.Event // From → Paths; no Paths if nothing was renamed
	blobs []blob
}

// blob is what a file held from a commit on.
type blob struct {
	path event.Path
	oid  string
}

// history reads the commits of a repository that are not merges, oldest first by committer time, with the names of
// their time: the importer of the daemon knows today's names, which a replay must not. excluded files are left out.
//
// Renames with changes need contents: where those were not fetched (a partial clone), only exact renames are known.
func history(ctx context.Context, dir string, env []string, excluded func(event.Path) bool) ([]commit, error) {
	commits, err := historyWith(ctx, dir, env, excluded, "50%")
	var failed *exec.ExitError
	if errors.As(err, &failed) && ctx.Err() == nil {
		return historyWith(ctx, dir, env, excluded, "100%")
	}
	return commits, err
}

func historyWith(ctx context.Context, dir string, env []string, excluded func(event.Path) bool, renames string) ([]commit, error) {
	var out []commit
	err := watcher.ReadLog(ctx, config.FindGit(env), dir, watcher.LogOptions{From: []string{"HEAD"}, Renames: renames, Bodies: true},
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
	out := commit{sha: c.ID, body: strings.TrimSpace(c.Body),
		event: event.Event{ID: "commit:" + c.ID, Time: when, Kind: event.KindCommit, Agent: "git", OK: true, Text: c.Subject,
			Terms: redact.Terms(c.Subject, event.MaxTerms)},
		moved: event.Event{ID: "rename:" + c.ID, Time: when, Kind: event.KindRename, Agent: "git", OK: true}}
	for _, f := range c.Files {
		switch {
		case excluded != nil && excluded(f.Path):
			continue
		case f.Status == 'D':
			out.event.Gone = append(out.event.Gone, f.Path)
			continue
		case f.From != "":
			out.moved.From, out.moved.Paths = append(out.moved.From, f.From), append(out.moved.Paths, f.Path)
		}
		out.event.Paths = append(out.event.Paths, f.Path)
		out.blobs = append(out.blobs, blob{f.Path, f.Blob})
	}
	return out
}

// events are the commits as the daemon gets them: a rename before the commit that made it.
func events(commits []commit) []event.Event {
	out := make([]event.Event, 0, len(commits))
	for _, c := range commits {
		if len(c.moved.Paths) > 0 {
			out = append(out, c.moved.Normalize(c.moved.Time))
		}
		if len(c.event.Paths)+len(c.event.Gone) > 0 {
			out = append(out, c.event.Normalize(c.event.Time))
		}
	}
	return out
}

// History is a source of a repository's commits alone.
func History(ctx context.Context, name, dir string, env []string, excluded func(event.Path) bool) (Source, error) {
	commits, err := history(ctx, dir, env, excluded)
	if err != nil {
		return Source{}, err
	}
	s := Source{Name: name, Commits: events(commits)}
	s.attach(dir, env, commits)
	return s, nil
}

// LastQuarter is the share of a history that teaches. The commits behind it judge.
const LastQuarter = 0.75

// HistoryIn is History of the clone of OWNER/NAME in a folder.
func HistoryIn(ctx context.Context, dir, name string) (Source, error) {
	clone := CloneOf(dir, name)
	if clone == "" {
		return Source{}, fmt.Errorf("no clone of %s in %s", name, dir)
	}
	return History(ctx, name, clone, os.Environ(), nil)
}

// CloneOf finds the clone of OWNER/NAME in a folder: OWNER+NAME, OWNER/NAME or NAME, bare or not; "" if there is none.
func CloneOf(dir, name string) string {
	base := name[strings.LastIndexByte(name, '/')+1:]
	for _, n := range []string{strings.ReplaceAll(name, "/", "+"), name, base} {
		for _, sub := range []string{"", ".git", "repo"} {
			at := filepath.Join(dir, n, sub)
			if sub == ".git" {
				at = filepath.Join(dir, n) + ".git"
			}
			for _, sign := range []string{"HEAD", ".git"} {
				if _, err := os.Stat(filepath.Join(at, sign)); err == nil {
					return at
				}
			}
		}
	}
	return ""
}

// Clone completes a source from a clone of its repository: what commits deleted and renamed, and what files held. A
// source without commits gets those of the clone.
func (s *Source) Clone(ctx context.Context, dir string, env []string) error {
	commits, err := history(ctx, dir, env, nil)
	if err != nil {
		return err
	}
	if len(s.Commits) == 0 {
		s.Commits = events(commits)
	} else {
		s.merge(commits)
	}
	s.attach(dir, env, commits)
	return nil
}

// shaLength is what a trace keeps at least of a commit's name.
const shaLength = 12

// merge adds to the commits of a trace what only git knows of them.
func (s *Source) merge(commits []commit) {
	by := map[string]commit{}
	for _, c := range commits {
		by[c.sha[:min(shaLength, len(c.sha))]] = c
	}
	var out []event.Event
	for _, e := range s.Commits {
		sha := strings.TrimPrefix(e.ID, "commit:")
		c, known := by[sha[:min(shaLength, len(sha))]]
		if known && len(c.moved.Paths) > 0 {
			out = append(out, c.moved.Normalize(c.moved.Time))
		}
		if known {
			e.Gone = c.event.Gone
			e.Paths = slices.DeleteFunc(slices.Clone(e.Paths), func(p event.Path) bool { return slices.Contains(c.event.Gone, p) })
		}
		out = append(out, e)
	}
	s.Commits = out
}

// attach notes where contents are to be had.
func (s *Source) attach(dir string, env []string, commits []commit) {
	s.git, s.env, s.blobs, s.bodies = dir, env, map[string][]blob{}, map[string]string{}
	for _, c := range commits {
		s.blobs[c.sha[:min(shaLength, len(c.sha))]] = c.blobs
		s.bodies["commit:"+c.sha] = c.body
	}
}
