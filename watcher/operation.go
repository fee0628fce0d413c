package watcher

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
)

// operations are the files and folders that git keeps in the git dir of a worktree while it is in
// the middle of something, in the order in which they are looked for: a rebase picks commits, and
// its conflicts leave CHERRY_PICK_HEAD. REBASE_HEAD is not among them, because git leaves it behind
// when a rebase is over.
var operations = []struct{ file, name string }{
	{"rebase-merge", "a rebase"}, {"rebase-apply/applying", "git am"}, {"rebase-apply", "a rebase"}, {"MERGE_HEAD", "a merge"},
	{"CHERRY_PICK_HEAD", "a cherry-pick"}, {"REVERT_HEAD", "a revert"}, {"sequencer", "a cherry-pick or a revert"},
}

// Operation says what git is in the middle of in this worktree: "a merge", "a cherry-pick", "a
// revert", "a rebase", "git am"; "" if nothing. These are the files that git rev-parse --git-path
// names, so no process is needed.
func (r *Repo) Operation() string {
	for _, o := range operations {
		if _, err := os.Stat(filepath.Join(r.GitDir, filepath.FromSlash(o.file))); err == nil {
			return o.name
		}
	}
	return ""
}

// Unmerged reports whether the index has entries that a merge, or a stash that was applied, left
// unmerged.
func (r *Repo) Unmerged(ctx context.Context) (bool, error) {
	out, err := r.run(ctx, "ls-files", "-u", "-z")
	if err != nil {
		return false, fmt.Errorf("look for unmerged files: %w", err)
	}
	return len(out) > 0, nil
}

// Sparse reports whether the worktree has rules for a sparse checkout, so that files of the index
// may not be on the disk.
func (r *Repo) Sparse() bool {
	_, err := os.Stat(filepath.Join(r.GitDir, "info", "sparse-checkout"))
	return err == nil
}

// Limits for commits that are not pushed.
const (
	maxUnpushed  = 20            // commits since the upstream, the newest
	freshUnnamed = 8 * time.Hour // without an upstream, HEAD counts until it is this old: a day's work
)

// Unpushed returns the files of the user's own commits that nobody else has yet: of the newest 20
// that neither the upstream nor a remote has, or, without an upstream, of HEAD if it is less than
// eight hours old and no remote has it. A commit is the user's own if its committer has that e-mail
// address; "" is the address in git's settings. Where neither is known, nothing is returned.
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
	o := LogOptions{From: []string{head}, Committer: committer, Most: maxUnpushed, Local: true}
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

// Indexed lists every file of the index, sorted as git sorts them: those outside of a sparse
// checkout and those that are not on the disk among them, without submodules.
func (r *Repo) Indexed(ctx context.Context) ([]event.Path, error) {
	files, err := r.listGit(ctx, true, "-c")
	if err != nil {
		return nil, fmt.Errorf("list the index: %w", err)
	}
	return files, nil
}

// unlisted are the attributes of .gitattributes under which a file counts as written by a tool or
// another project.
var unlisted = []string{"linguist-generated", "linguist-vendored", "diff"}

// ByAttribute returns those of the files that .gitattributes marks as generated or vendored
// (linguist-generated, linguist-vendored) or as nothing to compare (-diff). It costs one process of
// git.
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
