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
)

// kind is a row of the matrix of repositories that exist in the wild.
type kind struct {
	name  string
	build func(t *testing.T, g *repository) *repository // nil: the plain one; returns the folder to open
	init  []string
}

func plain(g *repository) {
	g.commit("first", "a.go", "dir/b.go")
	g.commit("second", "a.go")
	g.commit("third", "dir/c.go", "dir/deep/d.go")
}

var kinds = []kind{
	{name: "plain"},
	{name: "packed refs", build: func(_ *testing.T, g *repository) *repository {
		g.git("pack-refs", "--all")
		return g
	}},
	{name: "packed objects", build: func(_ *testing.T, g *repository) *repository {
		g.git("gc", "-q")
		return g
	}},
	{name: "detached", build: func(_ *testing.T, g *repository) *repository {
		g.git("checkout", "-q", "--detach", "HEAD~1")
		return g
	}},
	{name: "subfolder", build: func(_ *testing.T, g *repository) *repository {
		return g.at(filepath.Join(g.dir, "dir", "deep"))
	}},
	{name: "inside the git dir", build: func(_ *testing.T, g *repository) *repository {
		return g.at(filepath.Join(g.dir, ".git", "refs"))
	}},
	{name: "separate git dir", build: func(t *testing.T, g *repository) *repository {
		g.git("init", "-q", "--separate-git-dir", filepath.Join(t.TempDir(), "elsewhere"))
		return g
	}},
	{name: "linked worktree", build: func(t *testing.T, g *repository) *repository {
		dir := filepath.Join(t.TempDir(), "linked")
		g.git("worktree", "add", "-q", "-b", "side", dir)
		return g.at(dir)
	}},
	{name: "worktree of a bare repository", build: func(t *testing.T, g *repository) *repository {
		bare, dir := filepath.Join(t.TempDir(), "bare.git"), filepath.Join(t.TempDir(), "linked")
		g.git("clone", "-q", "--bare", g.dir, bare)
		g.at(bare).git("worktree", "add", "-q", dir, "main")
		return g.at(dir)
	}},
	{name: "symlinked root", build: func(t *testing.T, g *repository) *repository {
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(g.dir, link); err != nil {
			t.Skip(err)
		}
		return g.at(link)
	}},
	{name: "sparse checkout", build: func(_ *testing.T, g *repository) *repository {
		g.git("sparse-checkout", "set", "dir")
		return g
	}},
	{name: "worktree config", build: func(_ *testing.T, g *repository) *repository {
		g.git("config", "extensions.worktreeConfig", "true")
		return g
	}},
	{name: "split index", build: func(_ *testing.T, g *repository) *repository {
		g.git("update-index", "--split-index")
		return g
	}},
	{name: "index version 4", build: func(_ *testing.T, g *repository) *repository {
		g.git("update-index", "--index-version", "4")
		return g
	}},
	{name: "untracked cache", build: func(_ *testing.T, g *repository) *repository {
		g.git("update-index", "--force-untracked-cache")
		return g
	}},
	{name: "commit graph and multi-pack index", build: func(_ *testing.T, g *repository) *repository {
		g.git("repack", "-adq")
		g.commit("fourth", "e.go")
		g.git("repack", "-dq")
		g.git("multi-pack-index", "write")
		g.git("commit-graph", "write", "--reachable")
		return g
	}},
	{name: "alternates", build: func(t *testing.T, g *repository) *repository {
		dir := filepath.Join(t.TempDir(), "shared")
		g.git("clone", "-q", "--shared", g.dir, dir)
		return g.at(dir)
	}},
	{name: "included configuration", build: func(t *testing.T, g *repository) *repository {
		g.write(".git/more", "[alias]\n\tlog = !false\n\tls-files = !false\n[log]\n\tdate = relative\n[color]\n\tui = "+
			"always\n[diff]\n\trelative = true\n\texternal = false\n\tnoprefix = true\n")
		g.git("config", "include.path", "more")
		return g
	}},
	{name: "unicode branch", build: func(_ *testing.T, g *repository) *repository {
		g.git("checkout", "-q", "-b", "fünf/树")
		return g
	}},
	{name: "submodule from outside", build: func(t *testing.T, g *repository) *repository {
		sub := newRepository(t)
		sub.commit("inner", "inner.go")
		g.git("submodule", "add", "-q", sub.dir, "mod")
		g.commit("with a submodule", "f.go")
		return g
	}},
	{name: "submodule from inside", build: func(t *testing.T, g *repository) *repository {
		sub := newRepository(t)
		plain(sub)
		g.git("submodule", "add", "-q", sub.dir, "mod")
		return g.at(filepath.Join(g.dir, "mod"))
	}},
	{name: "sha256", init: []string{"--object-format=sha256"}},
	{name: "reftable", init: []string{"--ref-format=reftable"}},
	{name: "blobless partial clone", build: func(t *testing.T, g *repository) *repository {
		dir := filepath.Join(t.TempDir(), "partial")
		g.git("config", "uploadpack.allowFilter", "true")
		g.git("clone", "-q", "--filter=blob:none", "file://"+g.dir, dir)
		return g.at(dir)
	}},
}

// TestKinds opens every kind of repository and compares what is read of it with git itself.
func TestKinds(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			g := newRepository(t, k.init...)
			plain(g)
			if k.build != nil {
				g = k.build(t, g)
			}
			top := g
			if k.name == "inside the git dir" {
				top = g.at(filepath.Dir(filepath.Dir(g.dir)))
			}
			r := g.open()
			if want := realPath(t, top.git("rev-parse", "--show-toplevel")); string(r.Root) != want {
				t.Errorf("root %s, git says %s", r.Root, want)
			}
			if want := realPath(t, top.git("rev-parse", "--path-format=absolute", "--git-common-dir")); r.CommonDir != want {
				t.Errorf("common dir %s, git says %s", r.CommonDir, want)
			}
			checkHead(t, top, r)
			checkFiles(t, r, top)
			if want := historyOf(t, r); len(want) < 2 {
				t.Fatalf("history has %d commits", len(want))
			}
		})
	}
}

func realPath(t *testing.T, p string) string {
	t.Helper()
	p, err := filepath.EvalSymlinks(p)
	fault.Check(t, err)
	return p
}

func checkHead(t *testing.T, g *repository, r *Repo) {
	t.Helper()
	ref, oid, err := r.Head(context.Background())
	fault.Check(t, err)
	if want := g.git("rev-parse", "HEAD"); oid != want {
		t.Errorf("HEAD is at %s, git says %s", oid, want)
	}
	if want, _ := g.try("symbolic-ref", "-q", "HEAD"); ref != want {
		t.Errorf("HEAD is %q, git says %q", ref, want)
	}
}

// checkFiles compares with what git tracks and has on the disk.
func checkFiles(t *testing.T, r *Repo, g *repository) {
	t.Helper()
	got, err := r.Files(context.Background())
	fault.Check(t, err)
	var want []string
	for _, f := range strings.Split(g.at(string(r.Root)).git("ls-files", "-z"), "\x00") {
		if st, err := os.Lstat(filepath.Join(string(r.Root), f)); err == nil && f != "" && !st.IsDir() {
			want = append(want, f)
		}
	}
	if len(want) == 0 || !slices.Equal(event.Strings(got), want) {
		t.Errorf("files %q, git says %q", got, want)
	}
}

// historyOf imports everything and returns the commit events by id.
func historyOf(t *testing.T, r *Repo) map[string]event.Event {
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
	env := testEnv(t)
	if _, err := OpenRepo(context.Background(), t.TempDir(), env); !errors.Is(err, locate.ErrNotRepo) {
		t.Errorf("a plain folder: %v", err)
	}
	if _, err := OpenRepo(context.Background(), filepath.Join(t.TempDir(), "none"), env); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	g := newRepository(t)
	plain(g)
	without := slices.DeleteFunc(slices.Clone(g.env), func(kv string) bool { return strings.HasPrefix(kv, "PATH=") })
	if _, err := OpenRepo(context.Background(), g.dir, without); !errors.Is(err, git.ErrMissing) {
		t.Errorf("without git: %v", err)
	}
	bare := filepath.Join(t.TempDir(), "bare.git")
	g.git("clone", "-q", "--bare", g.dir, bare)
	if _, err := OpenRepo(context.Background(), bare, env); !errors.Is(err, ErrBare) {
		t.Errorf("a bare repository: %v", err)
	}
	broken := t.TempDir()
	fault.Check(t, os.WriteFile(filepath.Join(broken, ".git"), []byte("gitdir: ../gone\n"), 0o644))
	if _, err := OpenRepo(context.Background(), broken, env); !errors.Is(err, locate.ErrNotRepo) ||
		!strings.Contains(err.Error(), "gone") {
		t.Errorf("a .git file into nowhere: %v", err)
	}
	if os.Geteuid() == 0 && exec.Command("chown", "-R", "12345", g.dir).Run() == nil {
		_, err := OpenRepo(context.Background(), g.dir, g.env)
		if !errors.Is(err, ErrOwner) || !strings.Contains(err.Error(), "safe.directory") {
			t.Errorf("another user's repository: %v", err)
		}
		trusted := append(slices.Clone(g.env), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory",
			"GIT_CONFIG_VALUE_0=*")
		if _, err := OpenRepo(context.Background(), g.dir, trusted); err != nil {
			t.Errorf("a trusted repository: %v", err)
		}
	}
}

func TestEmptyRepository(t *testing.T) {
	g := newRepository(t)
	g.write("new.go", "x")
	r := g.open()
	ref, oid, err := r.Head(context.Background())
	if err != nil || ref != "refs/heads/main" || oid != "" {
		t.Errorf("HEAD %q %q %v", ref, oid, err)
	}
	files, err := r.Files(context.Background())
	if err != nil || !slices.Equal(files, []event.Path{"new.go"}) {
		t.Errorf("files %q %v", files, err)
	}
	if got := readAgain(t, r, map[string]string{}); len(got) != 0 {
		t.Errorf("history of nothing: %v", got)
	}
}

// TestHookEnvironment: git sets GIT_DIR and more for its hooks; only the folder decides.
func TestHookEnvironment(t *testing.T) {
	other, g := newRepository(t), newRepository(t)
	other.commit("other", "other.go")
	g.commit("mine", "mine.go")
	g.env = append(g.env, "GIT_DIR="+filepath.Join(other.dir, ".git"), "GIT_INDEX_FILE="+filepath.Join(other.dir, ".git",
		"index"),
		"GIT_WORK_TREE="+other.dir, "GIT_TRACE=1", "GIT_CONFIG_PARAMETERS='core.bare'='true'")
	files, err := g.open().Files(context.Background())
	if err != nil || !slices.Equal(files, []event.Path{"mine.go"}) {
		t.Errorf("files %q %v", files, err)
	}
}

func TestWorktrees(t *testing.T) {
	g := newRepository(t)
	plain(g)
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	g.git("worktree", "add", "-q", "-b", "wa", a)
	g.git("worktree", "add", "-q", "-b", "wb", b)
	fault.Check(t, os.RemoveAll(b))
	if got, want := g.open().Worktrees(), []event.Root{event.Root(realPath(t, a))}; !slices.Equal(got, want) {
		t.Errorf("from the main worktree: %q, want %q", got, want)
	}
	if got, want := g.at(a).open().Worktrees(), []event.Root{event.Root(realPath(t, g.dir))}; !slices.Equal(got, want) {
		t.Errorf("from the linked one: %q, want %q", got, want)
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
