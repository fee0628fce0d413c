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
	sameFiles   = 10  // files that a name is answered with that several files have
	namesMost   = 4096
)

// names finds the files, or the session, that somebody names or begins to type: the one function behind every command
// and tool that takes names.
func (h *queryHandler) names(ctx context.Context, r api.NamesRequest) (api.NamesAnswer, error) {
	out := api.NamesAnswer{Names: make([]api.NamedFiles, 0, len(r.Names))}
	if len(r.Names) > namesMost {
		return out, api.Bad("name their folder", "%d names are too many, use at most %d", len(r.Names), namesMost)
	}
	if r.Session != "" {
		var err error
		if out.Session, err = h.sessions.find(ctx, r.Session); err != nil || len(r.Names) == 0 {
			return out, err
		}
	}
	if r.Typing != nil {
		var err error
		out.Files, err = h.complete(ctx, *r.Typing)
		return out, err
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
			if only := w.like(&found); only != "" {
				found.Is, found.Files = api.NameBase, []event.Path{only}
			}
		case api.NameGone:
			if only := w.like(&found); only != "" {
				found.Near = []event.Path{only}
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
	below, err := w.ranker.Complete(ctx, event.Query{Task: event.TaskNext, At: h.now()}, rank.Begin(string(n.Path)+"/"),
		folderFiles)
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

// like returns the only file that is called as a name is. Without one it sets Near: the files that are called so, or
// have a name like it.
func (w *worktree) like(n *api.NamedFiles) (only event.Path) {
	tree := w.tree.Load()
	typed := strings.TrimSuffix(strings.ReplaceAll(n.Typed, `\`, "/"), "/")
	if typed == "" {
		typed = string(n.Path)
	}
	if p, ok := end(tree, typed); ok {
		return p
	}
	base := path.Base(typed)
	same := slices.Sorted(slices.Values(tree.Base(base)))
	if len(same) == 1 {
		return same[0]
	}
	if n.Near = same[:min(len(same), nearFiles)]; base == typed && len(same) > 0 {
		n.Near, n.Same = same[:min(len(same), sameFiles)], len(same)
	}
	for _, name := range []string{typed, base} {
		if len(n.Near) == 0 && base != "." && base != ".." {
			for _, m := range rank.Like(name)(tree.All(), nil, nearFiles) {
				n.Near = append(n.Near, m.File)
			}
		}
	}
	return ""
}

// end is the one file whose path ends in a name at a folder border.
func end(tree *index.Tree, typed string) (event.Path, bool) {
	found := tree.Files(typed)
	if len(found) != 1 {
		return "", false
	}
	return found[0], string(found[0]) == typed || strings.HasSuffix(string(found[0]), "/"+typed)
}
