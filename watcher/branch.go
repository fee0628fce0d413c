package watcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Limits for a branch. What comes next on a larger one cannot be told from its files.
const (
	maxBranchCommits = 100
	maxBranchFiles   = 100
)

// errFar stops reading a branch that has more commits or files than the limits.
var errFar = errors.New("the branch is far from its base")

// Branch returns the commits and files that the checked-out branch adds to the default branch. It
// returns the zero Branch on the default branch itself, with a detached HEAD, without a default
// branch, and for more than maxBranchCommits commits or maxBranchFiles files. The default branch is
// that of origin (refs/remotes/origin/HEAD), else the first of init.defaultBranch, main and master
// that exists. A call reads some refs and runs git once, or twice without origin/HEAD. Errors are
// those of git.
func (r *Repo) Branch(ctx context.Context) (event.Branch, error) {
	ref, head, err := r.Head(ctx)
	if err != nil || head == "" {
		return event.Branch{}, err
	}
	name, isBranch := strings.CutPrefix(ref, "refs/heads/")
	base, commit, err := r.defaultBranch(ctx)
	if err != nil || !isBranch || commit == "" || name == base {
		return event.Branch{}, err
	}
	b := event.Branch{Name: name, Base: base, Files: []event.Path{}}
	add := func(c *Commit) error {
		b.Commits++
		for _, f := range c.Files {
			if f.Status != 'D' && !r.Excluded(f.Path) && !slices.Contains(b.Files, f.Path) {
				b.Files = append(b.Files, f.Path)
			}
		}
		if b.Commits > maxBranchCommits || len(b.Files) > maxBranchFiles {
			return errFar
		}
		return nil
	}
	switch err := r.walk(ctx, []string{head}, []string{commit}, add); {
	case errors.Is(err, errFar):
		return event.Branch{}, nil
	case err != nil:
		return event.Branch{}, fmt.Errorf("read branch %s: %w", name, err)
	}
	return b, nil
}

// defaultBranch returns the short name and the commit of the default branch, or "" and "".
func (r *Repo) defaultBranch(ctx context.Context) (name, commit string, err error) {
	const origin = "refs/remotes/origin/"
	ref, commit, err := r.readRef(ctx, r.CommonDir, originHead)
	if err != nil || commit != "" {
		return strings.TrimPrefix(ref, origin), commit, err
	}
	set := ""
	if out, err := r.run(ctx, "config", "--get", "init.defaultBranch"); err == nil {
		set = strings.TrimSpace(string(out))
	}
	for _, name := range []string{set, "main", "master"} {
		for _, in := range []string{origin, "refs/heads/"} {
			if _, commit, err := r.readRef(ctx, r.CommonDir, in+cmp.Or(name, "main")); err != nil || commit != "" {
				return cmp.Or(name, "main"), commit, err
			}
		}
	}
	return "", "", nil
}
