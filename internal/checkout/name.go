package checkout

import (
	"cmp"
	"context"
	"os"
	"path"
	"regexp"
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
)

// Named finds the files that names mean. It waits for nothing: files that are gone are those that the log knows now.
func (t *Set) Named(ctx context.Context, w *Checkout, n api.TypedName) (api.NamedFiles, error) {
	found := api.NamedFiles{Typed: n.Typed, Path: n.Path, Is: api.NameUnknown}
	if p, err := event.NewPath(strings.TrimSuffix(string(n.Path), "/")); err == nil {
		found.Path = p
		if err := t.recognize(ctx, w, &found); err != nil {
			return found, err
		}
	}
	if typed, ok := withoutLine(n.Typed); ok && found.Is == api.NameUnknown {
		path, _ := withoutLine(string(n.Path))
		return t.Named(ctx, w, api.TypedName{Typed: typed, Path: event.Path(path)})
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
	return found, nil
}

// withoutLine takes off the place in a file that compilers, editors and forges write behind its name: wire.go:12,
// wire.go:12:3, wire.go#L12. ok is false if there is none.
func withoutLine(name string) (file string, ok bool) {
	if m := fileAndLine.FindStringSubmatch(name); m != nil {
		return m[1], true
	}
	return name, false
}

var fileAndLine = regexp.MustCompile(`^(.+?)(?:(?::\d+){1,2}(?:-\d+)?:?|#L\d+(?:-L?\d+)?)$`)

// recognize fills in what a path is, if anything knows it.
func (t *Set) recognize(ctx context.Context, w *Checkout, n *api.NamedFiles) error {
	if w.Tree().Has(n.Path) {
		n.Is, n.Files = api.NameFile, []event.Path{n.Path}
		return nil
	}
	below, err := w.Ranker.Complete(ctx, event.Query{Task: event.TaskOpen, At: t.Now()}, rank.Begin(string(n.Path)+"/"),
		folderFiles)
	if err != nil {
		return err
	}
	if len(below) > 0 {
		slices.Reverse(below)
		n.Is, n.Files = api.NameFolder, below
		return nil
	}
	if st, err := os.Lstat(w.Repo.Root.Abs(n.Path)); err == nil {
		if n.Is = api.NameFolder; !st.IsDir() {
			n.Is, n.Files = api.NameFile, []event.Path{n.Path}
		}
		return nil
	}
	logged, err := t.DB.Knows(ctx, n.Path)
	if err != nil {
		return err
	}
	if logged {
		if n.Is, n.Files = api.NameGone, []event.Path{n.Path}; w.Deleted(ctx, n.Path) {
			n.Is = api.NameFile
		}
		return nil
	}
	if logged, err = t.DB.Knows(ctx, n.Path+"/"); logged {
		n.Is = api.NameFolder
	}
	return err
}

// Paths keeps what is a path of a repository, each once, in order.
func (w *Checkout) Paths(in []event.Path) []event.Path {
	seen := make(map[event.Path]bool, len(in))
	out := []event.Path{}
	for _, p := range in {
		if q, err := event.NewPath(string(p)); err == nil && !seen[q] {
			seen[q] = true
			out = append(out, q)
		}
	}
	return out
}

// Clean takes out of an event what must not be stored. A rename keeps the pairs of which both names are kept.
func (w *Checkout) Clean(e *event.Event) {
	switch b := e.Body.(type) {
	case event.Rename:
		var kept event.Rename
		for i := range min(len(b.From), len(b.To)) {
			from, to := w.keep(b.From[i:i+1]), w.keep(b.To[i:i+1])
			if len(from) > 0 && len(to) > 0 {
				kept.From, kept.To = append(kept.From, from[0]), append(kept.To, to[0])
			}
		}
		e.Body = kept
		return
	case event.Hint:
		if len(b.Scores) != len(w.keep(b.Paths)) {
			b.Scores = nil
		}
		e.Body = b
	}
	e.ChangePaths(func(list *[]event.Path) { *list = w.keep(*list) })
}

// keep drops ignored files and names that are no paths of a repository.
func (w *Checkout) keep(in []event.Path) []event.Path {
	var out []event.Path
	for _, p := range in {
		if q, err := event.NewPath(string(p)); err == nil && !w.Repo.Ignored(q) {
			out = append(out, q)
		}
	}
	return out
}

// like returns the only file that is called as a name is. Without one it sets Near: the files that are called so, or
// have a name like it.
func (w *Checkout) like(n *api.NamedFiles) (only event.Path) {
	tree := w.Tree()
	typed := cmp.Or(strings.TrimSuffix(strings.ReplaceAll(n.Typed, `\`, "/"), "/"), string(n.Path))
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
