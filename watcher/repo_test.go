package watcher

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// historyOf imports everything and returns the commit events by id.
func historyOf(t testing.TB, r *Repo) map[string]event.Event {
	t.Helper()
	out := map[string]event.Event{}
	for _, e := range readAgain(t, r, map[string]string{}) {
		if e.Kind() == event.KindCommit {
			out[e.ID] = e
		}
	}
	return out
}

func TestOpenRefusals(t *testing.T) {
	env := repotest.Env(t.TempDir())
	if _, err := OpenRepo(context.Background(), t.TempDir(), env); !errors.Is(err, locate.ErrNotRepo) {
		t.Errorf("a plain folder: %v", err)
	}
	if _, err := OpenRepo(context.Background(), filepath.Join(t.TempDir(), "none"), env); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	g := repotest.New(t)
	g.Commit("first", "a.go", "dir/b.go")
	without := slices.DeleteFunc(slices.Clone(g.Env), func(kv string) bool { return strings.HasPrefix(kv, "PATH=") })
	if _, err := OpenRepo(context.Background(), g.Dir, without); !errors.Is(err, git.ErrMissing) {
		t.Errorf("without git: %v", err)
	}
	bare := filepath.Join(t.TempDir(), "bare.git")
	g.Git("clone", "-q", "--bare", g.Dir, bare)
	if _, err := OpenRepo(context.Background(), bare, env); !errors.Is(err, ErrBare) {
		t.Errorf("a bare repository: %v", err)
	}
	broken := t.TempDir()
	fault.Check(t, os.WriteFile(filepath.Join(broken, ".git"), []byte("gitdir: ../gone\n"), 0o644))
	if _, err := OpenRepo(context.Background(), broken, env); !errors.Is(err, locate.ErrNotRepo) ||
		!strings.Contains(err.Error(), "gone") {
		t.Errorf("a .git file into nowhere: %v", err)
	}
	if os.Geteuid() == 0 && exec.Command("chown", "-R", "12345", g.Dir).Run() == nil {
		_, err := OpenRepo(context.Background(), g.Dir, g.Env)
		if !errors.Is(err, ErrOwner) || !strings.Contains(err.Error(), "safe.directory") {
			t.Errorf("another user's repository: %v", err)
		}
		trusted := append(slices.Clone(g.Env), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory",
			"GIT_CONFIG_VALUE_0=*")
		if _, err := OpenRepo(context.Background(), g.Dir, trusted); err != nil {
			t.Errorf("a trusted repository: %v", err)
		}
	}
}

func TestWorktrees(t *testing.T) {
	g := repotest.New(t)
	g.Commit("first", "a.go", "dir/b.go")
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	g.Git("worktree", "add", "-q", "-b", "wa", a)
	g.Git("worktree", "add", "-q", "-b", "wb", b)
	fault.Check(t, os.RemoveAll(b))
	if got, want := open(g).Worktrees(), []event.Root{event.Root(real(t, a))}; !slices.Equal(got, want) {
		t.Errorf("from the main worktree: %q, want %q", got, want)
	}
	if got, want := open(g.At(a)).Worktrees(), []event.Root{event.Root(real(t, g.Dir))}; !slices.Equal(got, want) {
		t.Errorf("from the linked one: %q, want %q", got, want)
	}
}

// TestWorktreeBeingMade: while git makes a worktree, its HEAD names the commit of zeros. It has no
// commit then, and none is missing.
func TestWorktreeBeingMade(t *testing.T) {
	g := repotest.New(t)
	g.Commit("first", "a.go")
	g.Git("worktree", "add", "-q", "-b", "w", filepath.Join(t.TempDir(), "w"))
	head := filepath.Join(g.Dir, ".git", "worktrees", "w", "HEAD")
	fault.Check(t, os.WriteFile(head, []byte(strings.Repeat("0", 40)+"\n"), 0o600))
	n := 0
	err := open(g).History(t.Context(), HistoryOptions{}, func(read []event.Event, _ map[string]string) error {
		n += len(read)
		return nil
	})
	if err != nil || n != 1 {
		t.Errorf("%d commits, %v", n, err)
	}
}

func TestNormalizeURL(t *testing.T) {
	for in, want := range map[string]string{
		"git@github.com:u/r.git":            "github.com/u/r",
		"https://x:y@GitHub.com/u/r":        "github.com/u/r",
		"https://github.com/u/r.git/":       "github.com/u/r",
		"ssh://git@host.example:22/u/r.git": "host.example/u/r",
		"ssh://git@host.example:2222/u/r":   "host.example:2222/u/r",
		"git://host/u/r":                    "host/u/r",
		"host:r":                            "host/r",
		"/srv/git/r.git":                    "/srv/git/r",
		"file:///srv/git/r.git":             "/srv/git/r",
		`C:\git\r`:                          `C:\git\r`,
		"../r":                              "../r",
		"":                                  "",
	} {
		fault.Same(t, in, normalizeURL(in), want)
	}
}

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
