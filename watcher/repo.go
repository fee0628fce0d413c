package watcher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	format "github.com/go-git/go-git/v5/plumbing/format/config"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Errors that callers handle in different ways.
var (
	ErrBare    = errors.New("a bare repository has no files: open one of its worktrees")
	ErrOwner   = errors.New("the repository belongs to another user")
	ErrNoTrees = errors.New("this clone has no trees (partial clone with a tree filter)")
	ErrMissing = errors.New("commits of the repository are missing, for example because the repository that lends them " +
		"is gone (git fsck)")
)

// Repo is one worktree of a repository. It is safe for concurrent use and keeps no file open.
type Repo struct {
	Root      event.Root // the worktree, absolute, symlinks resolved
	GitDir    string     // this worktree's git dir: HEAD, index, rebase state
	CommonDir string     // the git dir that all worktrees share: refs, objects, config
	// The address of origin without scheme, user and ".git", as "github.com/user/repo"; "" without
	// origin.
	Origin string

	excludes string // see defaultExcludes
	git      *git.Program
	config   gitConfig
	rules    atomic.Pointer[rules] // nil until the first question about ignored files
	reloads  atomic.Int64
}

// OpenRepo opens the worktree that contains dir. dir may be a subfolder; the worktree may be a
// linked one, a submodule, without a commit, or a shallow or partial clone. env is the caller's
// environment (os.Environ()): git is found by its PATH, the global ignore rules by HOME and
// XDG_CONFIG_HOME. GIT_DIR and similar variables, which git sets for its hooks, are ignored.
//
// Errors are git.ErrMissing, locate.ErrNotRepo, ErrBare, ErrOwner (git's safe.directory rule), and
// errors of the file system.
func OpenRepo(ctx context.Context, dir string, env []string) (r *Repo, err error) {
	defer func(given string) {
		if err != nil {
			r, err = nil, fmt.Errorf("open repository %s: %w", given, err)
		}
	}(dir)
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	at, err := locate.Discover(dir)
	if err != nil {
		return nil, err
	}
	r = &Repo{GitDir: at.GitDir, CommonDir: at.CommonDir, git: git.Find(env)}
	if !r.git.Found() {
		return nil, git.ErrMissing
	}
	if err := r.checkOwner(ctx, at); err != nil {
		return nil, err
	}
	r.config = readConfig(at.CommonDir, at.GitDir)
	r.Origin = normalizeURL(r.config.origin)
	root := at.Root
	if r.config.worktree != "" && at.GitDir == at.CommonDir {
		root = locate.Absolute(r.config.worktree, at.GitDir)
	}
	if root == "" || (r.config.bare && at.GitDir == at.CommonDir) {
		return nil, ErrBare
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	if !locate.HasGitDir(root, at.GitDir) {
		return nil, fmt.Errorf("%w: its settings name the worktree %s, whose .git is not %s", locate.ErrNotRepo,
			root, at.GitDir)
	}
	r.Root, r.excludes = event.Root(root), defaultExcludes(env, root)
	below := func(dir string, names ...string) (out []string) {
		for _, name := range names {
			out = append(out, filepath.Join(dir, filepath.FromSlash(name)))
		}
		return out
	}
	r.git = r.git.Reading(slices.Concat(below(at.GitDir, "HEAD", "commondir", "config.worktree"),
		below(at.CommonDir, "config", "packed-refs", "refs/remotes/origin/HEAD", "shallow", "info/grafts",
			"objects/info/alternates", "objects/info/commit-graph", "objects/pack/multi-pack-index")),
		slices.Concat(below(at.GitDir, "index", "info/sparse-checkout"), below(at.CommonDir, "info/exclude",
			"info/attributes"), below(root, ".gitignore", ".gitattributes", ".mailmap"), []string{r.excludes}))
	return r, nil
}

// checkOwner asks git whether it trusts a repository that belongs to another user, because the
// repository's files become part of an agent's context.
func (r *Repo) checkOwner(ctx context.Context, at locate.Repository) error {
	if (at.Root == "" || ownedByCaller(at.Root)) && ownedByCaller(at.GitDir) {
		return nil
	}
	where := at.Root
	if where == "" {
		where = at.GitDir
	}
	_, err := r.git.Run(ctx, where, "rev-parse", "--git-dir")
	if e, ok := errors.AsType[*git.Error](err); ok && (strings.Contains(e.Stderr, "dubious ownership") ||
		strings.Contains(e.Stderr, "unsafe repository")) {
		return fmt.Errorf("%w: to trust it run: git config --global --add safe.directory %s", ErrOwner,
			event.ShellWord(where))
	}
	return err
}

// WithIndex returns the repository with another index file. git passes its name in GIT_INDEX_FILE
// to the hooks of `git commit -a`. file is absolute or relative to the root; "" means the usual
// index.
func (r *Repo) WithIndex(file string) *Repo {
	if file == "" {
		return r
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(string(r.Root), file)
	}
	other := &Repo{Root: r.Root, GitDir: r.GitDir, CommonDir: r.CommonDir, Origin: r.Origin, excludes: r.excludes,
		config: r.config}
	other.git = r.git.With("GIT_INDEX_FILE=" + file)
	return other
}

// run runs a git command at the root and returns what it printed.
func (r *Repo) run(ctx context.Context, args ...string) ([]byte, error) {
	return r.git.Run(ctx, string(r.Root), args...)
}

// Worktrees returns the roots of the repository's other worktrees that exist on this disk.
func (r *Repo) Worktrees() []event.Root {
	var out []event.Root
	for _, t := range r.worktrees() {
		if t.Root == "" || t.GitDir == r.GitDir {
			continue
		}
		if root, err := filepath.EvalSymlinks(t.Root); err == nil && locate.HasGitDir(root, t.GitDir) {
			out = append(out, event.Root(root))
		}
	}
	return out
}

// worktrees returns the places of all worktrees, the main one first (with Root "" if the repository
// is bare).
func (r *Repo) worktrees() []locate.Repository {
	main := locate.Repository{GitDir: r.CommonDir, CommonDir: r.CommonDir}
	switch {
	case r.config.worktree != "":
		main.Root = locate.Absolute(r.config.worktree, r.CommonDir)
	case r.GitDir == r.CommonDir:
		main.Root = string(r.Root)
	case !r.config.bare && filepath.Base(r.CommonDir) == ".git":
		main.Root = filepath.Dir(r.CommonDir)
	}
	out := []locate.Repository{main}
	names, _ := os.ReadDir(filepath.Join(r.CommonDir, "worktrees"))
	for _, n := range names {
		git := filepath.Join(r.CommonDir, "worktrees", n.Name())
		link, err := locate.Link(filepath.Join(git, "gitdir"))
		if err != nil {
			continue
		}
		t := locate.Repository{GitDir: git, CommonDir: r.CommonDir}
		if _, err := os.Stat(link); err == nil {
			t.Root = filepath.Dir(link)
		}
		out = append(out, t)
	}
	return out
}

// remote matches the address of a remote: an optional scheme and user, the host, then a path after
// a slash or, without a scheme, after a colon. A single letter before the colon is a drive of
// Windows.
var remote = regexp.MustCompile(
	`^(?:(?:[\w+.-]+://)(?:[^/]*@)?([^/]+?)(?::(?:22|80|443|9418))?(?:/+|$)|(?:[^/\\:]*@)?([^/\\:@]{2,}):/*)(.*)$`)

// normalizeURL removes scheme, user, password, port and ".git" from an address, so that all
// spellings of one remote are equal: "git@github.com:u/r.git" and "https://x:y@GitHub.com/u/r" both
// become "github.com/u/r". The path of a local clone remains a path.
func normalizeURL(s string) string {
	s = strings.TrimSpace(s)
	if file, ok := strings.CutPrefix(s, "file://"); ok {
		return trimGit(file)
	}
	if m := remote.FindStringSubmatch(s); m != nil {
		return trimGit(strings.ToLower(m[1]+m[2]) + "/" + m[3])
	}
	return trimGit(s)
}

func trimGit(s string) string {
	return strings.TrimSuffix(strings.TrimRight(s, "/"), ".git")
}

// Apply runs git apply with a patch. It runs at the root, because from a subfolder git silently
// skips all other files. options are those of git apply. The patch is applied completely or not at
// all.
func (r *Repo) Apply(ctx context.Context, patch string, options ...string) error {
	nothing := func(out io.Reader) error { _, err := io.Copy(io.Discard, out); return err }
	return r.git.Stream(ctx, string(r.Root), patch, nothing, slices.Concat([]string{"apply"}, options)...)
}

// gitConfig has the settings of a repository that decide how it is read.
type gitConfig struct {
	bare       bool
	worktree   string // core.worktree
	origin     string // remote.origin.url
	ignoreCase bool
	sha1       bool   // object ids are SHA-1; go-git cannot read others
	files      bool   // refs are stored as files
	treeless   string // name of a promisor remote that left trees out, "" if none did
}

// readConfig reads the common settings and those of the worktree. It does not follow includes,
// because git does not read the format of a repository from included files either. If go-git cannot
// parse a file, sha1 and files are false, so that the git program is used.
func readConfig(common, git string) gitConfig {
	c := gitConfig{sha1: true, files: true}
	perWorktree := false
	c.read(filepath.Join(common, "config"), &perWorktree)
	if perWorktree {
		c.read(filepath.Join(git, "config.worktree"), &perWorktree)
	}
	return c
}

// maxGitConfig is the largest settings file of git that is read, in bytes.
const maxGitConfig = 4 << 20

func (c *gitConfig) read(name string, perWorktree *bool) {
	b, err := regularfile.Read(name, regularfile.FollowLinks, maxGitConfig)
	if err != nil {
		return
	}
	cfg := format.New()
	if format.NewDecoder(bytes.NewReader(b)).Decode(cfg) != nil {
		c.sha1, c.files = false, false
		return
	}
	core := cfg.Section("core")
	if core.HasOption("bare") {
		c.bare = parseBool(core.Option("bare"))
	}
	if core.HasOption("worktree") {
		c.worktree = core.Option("worktree")
	}
	if core.HasOption("ignorecase") {
		c.ignoreCase = parseBool(core.Option("ignorecase"))
	}
	ext := cfg.Section("extensions")
	if f := ext.Option("objectformat"); f != "" {
		c.sha1 = strings.EqualFold(f, "sha1")
	}
	if f := ext.Option("refstorage"); f != "" {
		c.files = strings.EqualFold(f, "files")
	}
	if ext.HasOption("worktreeconfig") {
		*perWorktree = parseBool(ext.Option("worktreeconfig"))
	}
	for _, sub := range cfg.Section("remote").Subsections {
		if sub.Name == "origin" && sub.Option("url") != "" {
			c.origin = sub.Option("url")
		}
		if filter := sub.Option("partialclonefilter"); strings.Contains(filter, "tree:") {
			c.treeless = sub.Name
		}
	}
}

func parseBool(s string) bool {
	switch strings.ToLower(s) {
	case "", "true", "yes", "on", "1": // a key without a value is true
		return true
	}
	return false
}
