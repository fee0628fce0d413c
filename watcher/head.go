package watcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// originHead is the ref that names the default branch of the remote.
const originHead = "refs/remotes/origin/HEAD"

// Head returns the branch that this worktree has checked out ("refs/heads/main", or "" if HEAD is
// detached) and its commit ("" before the first one). go-git reads them in 20 to 100 µs, depending
// on packed-refs. A git process, which takes about 1 ms, reads repositories that go-git cannot:
// reftable and SHA-256.
func (r *Repo) Head(ctx context.Context) (ref, oid string, err error) {
	return r.readRef(ctx, r.GitDir, "HEAD")
}

// readRef resolves a ref as seen by the worktree with the git dir dir. If the ref does not exist,
// oid is "" and err nil.
func (r *Repo) readRef(ctx context.Context, dir, name string) (ref, oid string, err error) {
	if r.config.sha1 && r.config.files {
		if ref, oid, err = readRefFiles(dir, r.CommonDir, name); err == nil {
			return ref, oid, nil
		}
	}
	return r.readRefGit(ctx, dir, name)
}

func readRefFiles(dir, common, name string) (ref, oid string, err error) {
	refs := dotgit.New(dotgit.NewRepositoryFilesystem(regularFS{osfs.New(dir)}, regularFS{osfs.New(common)}))
	at := plumbing.ReferenceName(name)
	for range 8 {
		got, err := refs.Ref(at)
		if errors.Is(err, plumbing.ErrReferenceNotFound) {
			if at == "HEAD" {
				return "", "", fmt.Errorf("read HEAD in %s: %w", dir, err)
			}
			return ref, "", nil
		}
		if err != nil {
			return "", "", fmt.Errorf("read %s in %s: %w", at, dir, err)
		}
		if got.Type() == plumbing.HashReference {
			if got.Hash().IsZero() { // git writes it into a worktree that it is making
				return ref, "", nil
			}
			return ref, got.Hash().String(), nil
		}
		at = got.Target()
		ref = string(at)
	}
	return "", "", fmt.Errorf("read %s in %s: symbolic refs in a circle", name, dir)
}

// readRefGit is readRef by the git program. It runs one process, and a second one for a branch
// without commits.
func (r *Repo) readRefGit(ctx context.Context, dir, name string) (ref, oid string, err error) {
	in := "--git-dir=" + dir
	if out, err := r.run(ctx, in, "rev-parse", name+"^{commit}", "--symbolic-full-name", name); err == nil {
		oid, ref, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
		if ref == name {
			ref = "" // it is not symbolic
		}
		return ref, oid, nil
	} else if git.ExitCode(err) < 0 {
		return "", "", err
	}
	out, err := r.run(ctx, in, "symbolic-ref", "-q", name)
	if err != nil && git.ExitCode(err) != 1 {
		return "", "", err
	}
	return strings.TrimSpace(string(out)), "", nil
}

// maxRefs is the largest file of refs that go-git may read, in bytes. The git program reads larger
// ones.
const maxRefs = 128 << 20

// regularFS opens only regular files that are not huge. go-git itself would wait for a named pipe,
// and read all of a file.
type regularFS struct{ billy.Filesystem }

func (f regularFS) Open(name string) (billy.File, error) {
	if st, err := f.Stat(name); err == nil && (!st.Mode().IsRegular() || st.Size() > maxRefs) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: regularfile.ErrKind}
	}
	return f.Filesystem.Open(name)
}

// tip is a commit at which the counted history begins, with its key in the cursor.
type tip struct {
	key, commit string
	// True for a branch, where a move that is not a fast-forward rewrites history. False for a
	// detached HEAD, which then only went elsewhere.
	branch bool
}

// tips returns the commits at which the counted history begins: HEAD of every worktree and
// origin/HEAD. A worktree in the middle of a rebase is left out. Another worktree that cannot be
// read is skipped; for this one it is an error.
func (r *Repo) tips(ctx context.Context) ([]tip, error) {
	var out []tip
	seen := map[string]bool{}
	add := func(t tip) {
		if t.commit != "" && !seen[t.key] {
			seen[t.key] = true
			out = append(out, t)
		}
	}
	for _, w := range r.worktrees() {
		if rebasing(w.GitDir) || w.GitDir == r.CommonDir && r.config.bare {
			continue
		}
		ref, commit, err := r.readRef(ctx, w.GitDir, "HEAD")
		if err != nil {
			if w.GitDir == r.GitDir || ctx.Err() != nil {
				return nil, err
			}
			continue
		}
		if ref == "" {
			ref = "HEAD@" + filepath.Base(w.GitDir)
		}
		add(tip{key: ref, commit: commit, branch: strings.HasPrefix(ref, "refs/")})
	}
	if ref, commit, err := r.readRef(ctx, r.CommonDir, originHead); err == nil && ref != "" {
		add(tip{key: ref, commit: commit, branch: true})
	}
	return out, ctx.Err()
}

// Limits for a branch. What comes next on a larger one cannot be concluded from its files.
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
	switch err := r.walk(ctx, head, []string{commit}, add); {
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
