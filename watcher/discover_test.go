package watcher

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestWorktreeOfOthers: settings of a repository cannot make a folder that does not name this repository its worktree.
func TestWorktreeOfOthers(t *testing.T) {
	for name, claim := range map[string]func(g *repository, theirs string) string{
		"core.worktree": func(g *repository, theirs string) string {
			g.git("config", "core.worktree", theirs)
			return g.dir
		},
		"core.worktree, seen from the git dir": func(g *repository, theirs string) string {
			inside := filepath.Join(filepath.Dir(g.dir), "looks-like-a-git-dir")
			fault.Check(t, os.Rename(filepath.Join(g.dir, ".git"), inside))
			g.at(inside).git("config", "core.worktree", theirs)
			g.at(inside).git("config", "core.bare", "false")
			return inside
		},
		"a linked worktree's git dir": func(g *repository, theirs string) string {
			g.git("worktree", "add", "-q", filepath.Join(filepath.Dir(g.dir), "linked"))
			git := filepath.Join(g.dir, ".git", "worktrees", "linked")
			g.write(".git/worktrees/linked/gitdir", filepath.Join(theirs, ".git")+"\n")
			return git
		},
	} {
		t.Run(name, func(t *testing.T) {
			other, g := newRepository(t), newRepository(t)
			other.commit("theirs", "theirs.go")
			g.commit("ours", "ours.go")
			from := claim(g, other.dir)
			if r, err := OpenRepo(context.Background(), from, g.env); !errors.Is(err, locate.ErrNotRepo) {
				t.Errorf("opened %+v, %v", r, err)
			}
			if _, err := os.Stat(filepath.Join(g.dir, ".git")); err == nil && name != "core.worktree" {
				if got := g.open().Worktrees(); len(got) != 0 {
					t.Errorf("other worktrees: %q", got)
				}
			}
		})
	}
}
