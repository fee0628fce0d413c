package checkout

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/watcher"
)

// maxMore is the number of files that may differ between a commit that is asked about and the checkout.
const maxMore = 512

// ForGit bounds how long a question waits for git: it is answered without git's word rather than late.
func ForGit(ctx context.Context) (context.Context, context.CancelFunc) {
	const most = 5 * time.Second
	return context.WithTimeoutCause(ctx, most, fmt.Errorf("git did not answer within %v: it waits for a pipe (find . -type p), "+
		"or the rules in .gitattributes or .gitignore take too long", most))
}

// Asked names a change: by files, by the index, by commits, or by nothing: what differs from HEAD.
type Asked struct {
	Files  []event.Path
	Staged bool
	Index  string // with Staged: GIT_INDEX_FILE
	Range  string // BASE..HEAD
}

// Change is what a question is about, and what it breaks.
type Change struct {
	Files  []event.Path
	Broken []index.Broken
}

// Change reads the change that a question names.
func (w *Checkout) Change(ctx context.Context, r Asked) (Change, error) {
	switch {
	case r.Range != "":
		return w.rangeChange(ctx, r.Range)
	case r.Staged:
		return w.stagedChange(ctx, r.Index)
	}
	c := Change{Files: w.Paths(r.Files)}
	if len(r.Files) == 0 {
		changed, err := w.Repo.Changed(ctx)
		if err != nil {
			return c, err
		}
		c.Files = append(c.Files, changed...)
	}
	all := w.edits.Compare(ctx, c.Files)
	for _, f := range c.Files { // those that cannot be compared belong to the change, too
		if !slices.ContainsFunc(all, func(x index.Changed) bool { return x.Path == f }) {
			all = append(all, index.Changed{Path: f})
		}
	}
	c.Broken = w.world().BrokenBy(all)
	return c, nil
}

// world is the checkout as it is on disk.
func (w *Checkout) world() index.World {
	return index.World{Tree: w.Tree(), Contents: w.Reader.Contents(), Text: w.Reader.Text}
}

// stagedChange is the commit that is being made. file is the index that git makes it of, "" for the usual one.
func (w *Checkout) stagedChange(ctx context.Context, file string) (Change, error) {
	repo := w.Repo.WithIndex(file)
	files, err := repo.Staged(ctx)
	if err != nil {
		return Change{}, err
	}
	unstaged, err := w.Repo.Changed(ctx)
	if err != nil {
		return Change{}, err
	}
	staged, err := repo.IndexBlobs(ctx, unstaged)
	if err != nil {
		return Change{}, err
	}
	world := w.world()
	for f := range staged {
		world.More = append(world.More, f)
	}
	world.Text = func(p event.Path) []byte {
		if id, differs := staged[p]; differs {
			return w.edits.Read(ctx, id)
		}
		return w.Reader.Text(p)
	}
	return w.breaks(ctx, world, files)
}

// rangeChange is what the commits BASE..HEAD change together.
func (w *Checkout) rangeChange(ctx context.Context, commits string) (Change, error) {
	base, head, found := strings.Cut(commits, "..")
	if head = strings.TrimPrefix(head, "."); !found || base == "" {
		return Change{}, api.Bad("for example origin/main..HEAD", "%.100q names no range of commits", commits)
	}
	r, err := w.Repo.Range(ctx, base, cmp.Or(head, "HEAD"))
	if err != nil {
		return Change{}, api.Bad("in a shallow clone: git fetch --unshallow", "%v", err)
	}
	files, err := w.Repo.Tree(ctx, r.Head)
	if err != nil {
		return Change{}, err
	}
	world := w.world()
	world.Tree = index.NewTree(files)
	world.Text = func(p event.Path) []byte { return w.edits.Read(ctx, r.Head+":"+string(p)) }
	since, err := w.Repo.Range(ctx, r.Head, "HEAD")
	if err != nil { // histories without a common commit
		return w.breaks(ctx, world, r.Files)
	}
	world.More, err = w.Repo.Changed(ctx)
	for _, f := range since.Files {
		world.More = append(world.More, f.Path)
	}
	world.More = slices.DeleteFunc(world.More, func(p event.Path) bool { return !world.Tree.Has(p) })
	world.More = world.More[:min(len(world.More), maxMore)]
	if err != nil {
		return Change{}, err
	}
	return w.breaks(ctx, world, r.Files)
}

// breaks reads both versions of the files of a change.
func (w *Checkout) breaks(ctx context.Context, world index.World, files []watcher.FileChange) (c Change, err error) {
	c.Files = []event.Path{}
	var all []index.Changed
	for _, f := range files {
		c.Files = append(c.Files, f.Path)
		var before, after []byte
		if f.Status != 'A' {
			before = w.edits.Read(ctx, f.Old)
		}
		if f.Status != 'D' {
			if after = w.edits.Read(ctx, f.Blob); after == nil {
				after = []byte{} // it is there, and too large
			}
		}
		all = append(all, index.Compare(f.Path, before, after))
	}
	c.Broken = world.BrokenBy(all)
	return c, ctx.Err()
}
