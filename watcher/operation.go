package watcher

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
)

// operations are the files and folders that exist in a worktree's git dir while git is in the
// middle of something, in the order in which they are checked: a rebase picks commits, so its
// conflicts also leave CHERRY_PICK_HEAD. REBASE_HEAD is not listed, because git leaves it behind
// after a rebase.
var operations = []struct{ file, name string }{
	{"rebase-merge", "a rebase"}, {"rebase-apply/applying", "git am"}, {"rebase-apply", "a rebase"},
	{"MERGE_HEAD", "a merge"},
	{"CHERRY_PICK_HEAD", "a cherry-pick"}, {"REVERT_HEAD", "a revert"}, {"sequencer", "a cherry-pick or a revert"},
}

// Operation returns what git is in the middle of in this worktree: "a merge", "a cherry-pick", "a
// revert", "a rebase" or "git am"; "" if nothing. It looks for the files that git rev-parse
// --git-path would name, so it needs no process.
func (r *Repo) Operation() string { return operationIn(r.GitDir) }

func operationIn(gitDir string) string {
	for _, o := range operations {
		if exists(filepath.Join(gitDir, filepath.FromSlash(o.file))) {
			return o.name
		}
	}
	return ""
}

// rebasing reports whether a rebase or git am is going on in the worktree of a git dir.
func rebasing(gitDir string) bool {
	return slices.Contains([]string{"a rebase", "git am"}, operationIn(gitDir))
}

// Unmerged reports whether the index has unmerged entries, left by a merge or by applying a stash.
func (r *Repo) Unmerged(ctx context.Context) (bool, error) {
	out, err := r.run(ctx, "ls-files", "-u", "-z")
	if err != nil {
		return false, fmt.Errorf("look for unmerged files: %w", err)
	}
	return len(out) > 0, nil
}

// Sparse reports whether the worktree has rules for a sparse checkout, so that files of the index
// may be missing on disk.
func (r *Repo) Sparse() bool {
	return exists(filepath.Join(r.GitDir, "info", "sparse-checkout"))
}

// Limits for unpushed commits.
const (
	maxUnpushed  = 20            // commits since the upstream, from the newest on
	freshUnnamed = 8 * time.Hour // without an upstream, HEAD counts until it is this old: a day's work
)

// Unpushed returns the files of the user's own commits that no one else has yet. With an upstream
// these are the newest 20 commits that neither the upstream nor a remote has. Without one it is
// HEAD, if it is less than eight hours old and no remote has it. A commit is the user's own if its
// committer has the given e-mail address, or, if that is "", the address in git's settings. If
// neither is known, nothing is returned.
func (r *Repo) Unpushed(ctx context.Context, committer string, now time.Time) (files []event.Path, err error) {
	_, head, err := r.Head(ctx)
	if err != nil || head == "" {
		return nil, err
	}
	if committer == "" {
		out, err := r.run(ctx, "config", "--get", "user.email")
		if committer = strings.TrimSpace(string(out)); committer == "" {
			if git.ExitCode(err) == 1 {
				err = nil // it is not set
			}
			return nil, err
		}
	}
	o := LogOptions{From: []string{head}, Args: []string{"--fixed-strings", "--committer=<" + committer + ">",
		"-n", strconv.Itoa(maxUnpushed), "--not", "--remotes"}}
	upstream, err := r.run(ctx, "rev-parse", "--verify", "--quiet", "@{upstream}^{commit}")
	known := err == nil
	switch {
	case known:
		o.Not = []string{strings.TrimSpace(string(upstream))}
	case git.ExitCode(err) < 0:
		return nil, err
	}
	err = ReadLog(ctx, r.git, string(r.Root), o, func(c *Commit) error {
		age := now.Sub(time.Unix(c.Time, 0))
		if known || c.ID == head && age < freshUnnamed {
			for _, f := range c.Files {
				files = append(files, f.Path)
			}
		}
		return nil
	})
	return files, err
}

// Indexed lists every file in the index in git's order, including files outside of a sparse
// checkout and files that are not on disk. Submodules are left out.
func (r *Repo) Indexed(ctx context.Context) ([]event.Path, error) {
	files, err := r.listGit(ctx, true, "-c")
	if err != nil {
		return nil, fmt.Errorf("list the index: %w", err)
	}
	return files, nil
}

// unlisted are the attributes in .gitattributes that mark a file as written by a tool or by another
// project.
var unlisted = []string{"linguist-generated", "linguist-vendored", "diff"}

// ByAttribute returns those of the files that .gitattributes marks as generated or vendored
// (linguist-generated, linguist-vendored) or as not worth comparing (-diff). It runs git once.
func (r *Repo) ByAttribute(ctx context.Context, files []event.Path) (map[event.Path]bool, error) {
	marked := map[event.Path]bool{}
	if len(files) == 0 {
		return marked, nil
	}
	args := append([]string{"check-attr", "-z"}, unlisted...)
	out, err := r.run(ctx, append(append(args, "--"), event.Strings(files)...)...)
	if err != nil {
		return nil, fmt.Errorf("read the attributes of files: %w", err)
	}
	part := strings.Split(string(out), "\x00") // <path> NUL <attribute> NUL <value> NUL
	for i := 0; i+2 < len(part); i += 3 {
		value := part[i+2]
		if (value == "set" || value == "true") && part[i+1] != "diff" || value == "unset" && part[i+1] == "diff" {
			marked[event.Path(part[i])] = true
		}
	}
	return marked, nil
}
