package watcher

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/index"
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
	err := open(g).History(t.Context(), nil, unseen, func(read []event.Event, _ map[string]string) error {
		n += len(read)
		return nil
	})
	if err != nil || n != 1 {
		t.Errorf("%d commits, %v", n, err)
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

// TestRange: what commits change together, from where they branched off; what is staged.
func TestRange(t *testing.T) {
	d := repotest.New(t)
	d.Write("kept.go", "1")
	d.Write("gone.go", "1")
	d.Commit("first")
	d.Git("checkout", "-q", "-b", "work")
	d.Write("new.go", "1")
	d.Git("rm", "-q", "gone.go")
	d.Commit("second")
	d.Git("checkout", "-q", "-")
	d.Write("other.go", "1")
	d.Commit("elsewhere")
	r := open(d)
	statuses := func(files []FileChange) (out []string) {
		for _, f := range files {
			out = append(out, string(f.Status)+" "+string(f.Path))
		}
		return out
	}
	got, err := r.Range(t.Context(), "HEAD", "work")
	if diff := cmp.Diff([]string{"D gone.go", "A new.go"}, statuses(got.Files)); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if files, err := r.Tree(t.Context(), got.Head); len(files) != 2 || err != nil {
		t.Errorf("%q, %v", files, err)
	}
	if _, err := r.Range(t.Context(), "--all", "work"); err == nil {
		t.Error("an option is a commit")
	}
	d.Write("kept.go", "2")
	d.Git("add", "kept.go")
	d.Write("kept.go", "3")
	staged, err := r.Staged(t.Context())
	if diff := cmp.Diff([]string{"M kept.go"}, statuses(staged)); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if ids, err := r.IndexBlobs(t.Context(), []event.Path{"kept.go", "none.go"}); ids["kept.go"] != staged[0].Blob ||
		len(ids) != 1 || err != nil {
		t.Errorf("%v, %v", ids, err)
	}
}

// TestApply: a patch is applied at the root as a whole or not at all, whatever the settings of the
// repository say about whitespace, and taken back.
func TestApply(t *testing.T) {
	g := repotest.New(t)
	g.Write("in/a.txt", "one \ntwo\n")
	g.Write("b.txt", "b\n")
	g.Git("config", "apply.whitespace", "fix")
	r := open(g)
	patch := "diff --git a/in/a.txt b/in/a.txt\n--- a/in/a.txt\n+++ b/in/a.txt\n@@ -1,2 +1,2 @@\n-one \n+1 \n two\n"
	both := patch + "diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1,1 +1,1 @@\n-x\n+y\n"
	says := func(want string) {
		t.Helper()
		raw := fault.Must(os.ReadFile(filepath.Join(g.Dir, "in", "a.txt")))
		fault.Same(t, "the file", string(raw), want)
	}
	if err := r.Apply(t.Context(), both); err == nil {
		t.Error("a part that does not fit is not an error")
	}
	fault.Check(t, r.Apply(t.Context(), patch, "--check"))
	says("one \ntwo\n")
	fault.Check(t, r.Apply(t.Context(), patch))
	says("1 \ntwo\n")
	fault.Check(t, r.Apply(t.Context(), patch, "-R"))
	says("one \ntwo\n")
}

// TestEdits: what files change against HEAD, kept until HEAD or the file changes; a known file
// starts no process.
func TestEdits(t *testing.T) {
	d := repotest.New(t)
	d.Write("a b.go", "package a\n\nfunc OldName() {}\n")
	d.Write("same.go", "package a\n\nfunc SameName() {}\n")
	d.Write("gone.go", "package a\n\nfunc GoneName() {}\n")
	d.Commit("first")
	d.Write("a b.go", "package a\n\nfunc NewName() {}\n")
	d.Write("fresh.go", "package a\n\nfunc FreshName() {}\n")
	d.Remove("gone.go")
	r := open(d)
	e := NewEdits(r, func(p event.Path) bool { return p != "stranger.go" },
		func() time.Time { return time.Now().Add(time.Hour) }) // no file is too young to be kept
	defer e.Close()
	files := []event.Path{"a b.go", "same.go", "gone.go", "fresh.go", "line\nbreak.go", "stranger.go"}
	look := func(want map[event.Path][2]string) {
		t.Helper()
		found := map[event.Path]index.Changed{}
		for _, c := range e.Compare(t.Context(), files) {
			found[c.Path] = c
		}
		for f, w := range want {
			texts := [2][]byte{}
			for i, name := range w {
				if name != "" {
					texts[i] = []byte("package a\n\nfunc " + name + "() {}\n")
				}
			}
			c, known := found[f]
			if !known || !reflect.DeepEqual(c, index.Compare(f, texts[0], texts[1])) {
				t.Errorf("%s: %+v (known: %t), want %q", f, c, known, w)
			}
		}
	}
	d.Write("stranger.go", "package a")
	first := map[event.Path][2]string{"a b.go": {"OldName", "NewName"}, "same.go": {"SameName", "SameName"},
		"gone.go": {"GoneName", ""}, "fresh.go": {"", "FreshName"}}
	look(first)
	if found := e.Compare(t.Context(), files); len(found) != len(first) {
		t.Errorf("files that differ in nothing are compared: %v", found)
	}
	e.Close()
	look(first)
	if e.blobs != nil {
		t.Error("a git process was started for files that are known")
	}
	d.Write("a b.go", "package a\n\nfunc Third() {}\n")
	look(map[event.Path][2]string{"a b.go": {"OldName", "Third"}})
	d.Commit("second")
	look(map[event.Path][2]string{"a b.go": {"Third", "Third"}, "fresh.go": {"FreshName", "FreshName"}})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if found := e.Compare(gone, files); len(found) > 0 {
		t.Errorf("it was answered after the caller had left: %v", found)
	}
}
