package daemon

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/rank"
)

const (
	folderFiles = 512 // files of a folder
	nearFiles   = 3   // files that an unknown name is answered with
	namesMost   = 4096
)

// names finds the files that somebody names: the one function behind every command and tool that takes file names.
func (h *queryHandler) names(ctx context.Context, r api.NamesRequest) (api.NamesAnswer, error) {
	out := api.NamesAnswer{Names: make([]api.NamedFiles, 0, len(r.Names))}
	if len(r.Names) > namesMost {
		return out, api.Bad("name their folder", "%d names are too many, use at most %d", len(r.Names), namesMost)
	}
	w := h.worktrees.caller(ctx)
	h.events.SyncBriefly(ctx) // the log knows files that are gone
	for _, n := range r.Names {
		found := api.NamedFiles{Typed: n.Typed, Path: n.Path, Is: api.NameUnknown}
		if p, err := event.NewPath(strings.TrimSuffix(string(n.Path), "/")); err == nil {
			found.Path = p
			if err := h.known(ctx, w, &found); err != nil {
				return out, err
			}
		}
		switch found.Is {
		case api.NameUnknown:
			if same, near := w.like(found); same != "" {
				found.Is, found.Files = api.NameBase, []event.Path{same}
			} else {
				found.Near = near
			}
		case api.NameGone:
			same, near := w.like(found)
			if found.Near = near; same != "" {
				found.Near = []event.Path{same}
			}
		}
		out.Names = append(out.Names, found)
	}
	return out, nil
}

// known fills in what a path is, if anything knows it.
func (h *queryHandler) known(ctx context.Context, w *worktree, n *api.NamedFiles) error {
	if w.tree.Load().Has(n.Path) {
		n.Is, n.Files = api.NameFile, []event.Path{n.Path}
		return nil
	}
	below, err := w.ranker.Complete(ctx, event.Query{Task: event.TaskNext, At: h.now()}, rank.Begin(string(n.Path)+"/"), folderFiles)
	if err != nil {
		return err
	}
	if len(below) > 0 {
		slices.Reverse(below)
		n.Is, n.Files = api.NameFolder, below
		return nil
	}
	if st, err := os.Lstat(w.repo.Root.Abs(n.Path)); err == nil {
		if n.Is = api.NameFolder; !st.IsDir() {
			n.Is, n.Files = api.NameFile, []event.Path{n.Path}
		}
		return nil
	}
	logged, err := h.db.Knows(ctx, n.Path)
	if err != nil {
		return err
	}
	if logged {
		if n.Is, n.Files = api.NameGone, []event.Path{n.Path}; w.deleted(ctx, n.Path) {
			n.Is = api.NameFile
		}
		return nil
	}
	if logged, err = h.db.Knows(ctx, n.Path+"/"); logged {
		n.Is = api.NameFolder
	}
	return err
}

// deleted reports whether a file is deleted and the deletion is not committed.
func (w *worktree) deleted(ctx context.Context, p event.Path) bool {
	changed, err := w.repo.Changed(ctx)
	return err == nil && slices.Contains(changed, p)
}

// like returns the one file that is called as a name is, or else those with a name like it.
func (w *worktree) like(n api.NamedFiles) (same event.Path, near []event.Path) {
	tree := w.tree.Load()
	typed := strings.TrimSuffix(strings.ReplaceAll(n.Typed, `\`, "/"), "/")
	if typed == "" {
		typed = string(n.Path)
	}
	if p, ok := end(tree, typed); ok {
		return p, nil
	}
	base := path.Base(typed)
	if near = slices.Sorted(slices.Values(tree.Base(base))); len(near) == 1 {
		return near[0], nil
	}
	near = near[:min(len(near), nearFiles)]
	for _, name := range []string{typed, base} {
		if len(near) == 0 && base != "." && base != ".." {
			for _, m := range rank.Like(name)(tree.All(), nil, nearFiles) {
				near = append(near, m.File)
			}
		}
	}
	return "", near
}

// end is the one file whose path ends in a name at a folder border.
func end(tree *index.Tree, typed string) (event.Path, bool) {
	p, ok := tree.Resolve(typed)
	return p, ok && (string(p) == typed || strings.HasSuffix(string(p), "/"+typed))
}
