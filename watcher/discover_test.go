package watcher

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// TestWorktreeOfOthers: settings of a repository cannot make a folder that does not name this
// repository its worktree.
func TestWorktreeOfOthers(t *testing.T) {
	for name, claim := range map[string]func(g *repotest.Repo, theirs string) string{
		"core.worktree": func(g *repotest.Repo, theirs string) string {
			g.Git("config", "core.worktree", theirs)
			return g.Dir
		},
		"core.worktree, seen from the git dir": func(g *repotest.Repo, theirs string) string {
			inside := filepath.Join(filepath.Dir(g.Dir), "looks-like-a-git-dir")
			fault.Check(t, os.Rename(filepath.Join(g.Dir, ".git"), inside))
			g.At(inside).Git("config", "core.worktree", theirs)
			g.At(inside).Git("config", "core.bare", "false")
			return inside
		},
		"a linked worktree's git dir": func(g *repotest.Repo, theirs string) string {
			g.Git("worktree", "add", "-q", filepath.Join(filepath.Dir(g.Dir), "linked"))
			git := filepath.Join(g.Dir, ".git", "worktrees", "linked")
			g.Write(".git/worktrees/linked/gitdir", filepath.Join(theirs, ".git")+"\n")
			return git
		},
	} {
		t.Run(name, func(t *testing.T) {
			other, g := repotest.New(t), repotest.New(t)
			other.Commit("theirs", "theirs.go")
			g.Commit("ours", "ours.go")
			from := claim(g, other.Dir)
			if r, err := OpenRepo(context.Background(), from, g.Env); !errors.Is(err, locate.ErrNotRepo) {
				t.Errorf("opened %+v, %v", r, err)
			}
			if _, err := os.Stat(filepath.Join(g.Dir, ".git")); err == nil && name != "core.worktree" {
				if got := open(g).Worktrees(); len(got) != 0 {
					t.Errorf("other worktrees: %q", got)
				}
			}
		})
	}
}
