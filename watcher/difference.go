package watcher

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
)

// Staged returns the files of the commit that is being prepared: those that differ between HEAD and
// the index. Errors are those of git.
func (r *Repo) Staged(ctx context.Context) ([]FileChange, error) {
	files, err := r.rawDiff(ctx, "diff", "--cached")
	if err != nil {
		return nil, fmt.Errorf("list staged files: %w", err)
	}
	return files, nil
}

// Range is a range of commits with the files that they change together.
type Range struct {
	Base, Head string // ids of the commit where the range branched off, and of its last commit
	Files      []FileChange
}

// Range returns the files changed by the commits that are reachable from head but not from base:
// the difference between head and the commit where it branched off. Errors are those of git, for
// example if a name is not a commit.
func (r *Repo) Range(ctx context.Context, base, head string) (out Range, err error) {
	ids := [2]string{}
	for i, name := range [...]string{base, head} {
		id, err := r.run(ctx, "rev-parse", "--verify", "--end-of-options", name+"^{commit}")
		if err != nil {
			return out, fmt.Errorf("find commit %.100q: %w", name, err)
		}
		ids[i] = strings.TrimSpace(string(id))
	}
	from, err := r.run(ctx, "merge-base", ids[0], ids[1])
	if err != nil {
		return out, fmt.Errorf("find where %.100q and %.100q branched off (a shallow clone does not know): %w",
			base, head, err)
	}
	out.Base, out.Head = strings.TrimSpace(string(from)), ids[1]
	if out.Files, err = r.rawDiff(ctx, "diff-tree", "-r", out.Base, out.Head); err != nil {
		return out, fmt.Errorf("compare commits: %w", err)
	}
	return out, nil
}

// CommitsOf returns the ids of the commits of a range that are no merges.
func (r *Repo) CommitsOf(ctx context.Context, x Range) ([]string, error) {
	return r.listCommits(ctx, []string{x.Head}, []string{x.Base}, "--no-merges")
}

// rawDiff runs a git command that prints a raw difference, and returns the changed files without
// looking for renames.
func (r *Repo) rawDiff(ctx context.Context, verb string, args ...string) ([]FileChange, error) {
	out, err := r.run(ctx, append([]string{verb, "--raw", "-z", "--no-abbrev", "--no-renames"}, args...)...)
	if err != nil {
		return nil, err
	}
	in, c, paths := newPieces(bytes.NewReader(out), 0, maxField), &Commit{}, pathCache{}
	for {
		f, err := in.next()
		if err == nil && (len(f) == 0 || f[0] != ':') {
			err = fmt.Errorf("%w: %.40q", errLog, f)
		}
		if err == nil {
			err = c.parseFile(f, in, paths)
		}
		if err == io.EOF {
			return c.Files, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// Tree lists the files of a commit.
func (r *Repo) Tree(ctx context.Context, commit string) (files []event.Path, err error) {
	return treeOf(ctx, r.git, string(r.Root), commit)
}

// treeOf is Tree for any folder, which may be a bare repository.
func treeOf(ctx context.Context, program *git.Program, dir, commit string) (files []event.Path, err error) {
	out, err := program.Run(ctx, dir, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
	return pathsIn(out), err
}

// pathsIn returns the paths of a list in which a NUL follows each.
func pathsIn(list []byte) (files []event.Path) {
	for name := range bytes.SplitSeq(list, []byte{0}) {
		if p, err := event.NewPath(string(name)); err == nil {
			files = append(files, p)
		}
	}
	return files
}

// maxNamed is the number of files that are named on git's command line. For more files the whole
// index is listed.
const maxNamed = 100

// IndexBlobs returns the ids of the files' contents in the index, for those that the index has.
func (r *Repo) IndexBlobs(ctx context.Context, files []event.Path) (map[event.Path]string, error) {
	args := []string{"--literal-pathspecs", "ls-files", "-s", "-z", "--"}
	if len(files) <= maxNamed {
		args = append(args, event.Strings(files)...)
	}
	out, err := r.run(ctx, args...)
	ids := map[event.Path]string{}
	for line := range bytes.SplitSeq(out, []byte{0}) { // "<mode> <id> <stage>\t<path>"
		head, name, _ := strings.Cut(string(line), "\t")
		part := strings.Fields(head)
		if p, bad := event.NewPath(name); bad == nil && len(part) == 3 {
			ids[p] = part[1]
		}
	}
	return ids, err
}
