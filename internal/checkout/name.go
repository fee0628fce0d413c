package checkout

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/index"
)

const (
	folderFiles = 512 // files of a folder
	nearFiles   = 3   // files that are offered for an unknown name
	sameFiles   = 10  // files that are offered for a name that several files have
)

// Named finds the files that names typed in a folder mean. It does not wait for the log, so deleted
// files are those that the log knows now.
func (t *Set) Named(ctx context.Context, w *Checkout, dir string, names []string) (out []api.NamedFiles, err error) {
	at := index.NewLocator(w.Tree(), nil, dir, w.Repo.Root)
	for _, typed := range names {
		found, err := t.named(ctx, w, at, typed)
		if err != nil {
			return nil, err
		}
		out = append(out, found)
	}
	return out, nil
}

// named tries the rules for names (see index.Rung), up to the only file with the base name. Between
// the first rule and the others it tries folders, and files that git does not track or that are
// deleted.
func (t *Set) named(ctx context.Context, w *Checkout, at *index.Locator, typed string) (n api.NamedFiles, err error) {
	n = api.NamedFiles{Typed: typed, Is: api.NameOutside}
	for _, name := range slices.Compact([]string{typed, index.WithoutLine(typed)}) {
		rel, inside := at.Place(cmp.Or(name, "."), "")
		if inside && rel == "" {
			n.Is = api.NameRoot
		}
		if n.Path, err = event.NewPath(rel); err != nil || !inside {
			return n, nil
		}
		if err := t.recognize(ctx, w, &n); err != nil || n.Is == api.NameFile || n.Is == api.NameFolder {
			return n, err
		}
		if n.Is == api.NameGone {
			break
		}
	}
	if index.IsAbs(index.Slash(typed)) {
		typed = string(n.Path) // it may lead through a link
	}
	p, rung := at.Find(typed, index.Root, index.Base)
	switch {
	case n.Is == api.NameGone && rung != index.None:
		n.Near = []event.Path{p}
	case n.Is == api.NameGone:
		n.Near = at.Near(typed, nearFiles)
	case rung != index.None:
		n.Is, n.Files = api.NameBase, []event.Path{p}
	default:
		base := n.Path.Base()
		if same := slices.Sorted(slices.Values(w.Tree().Base(base))); len(same) > 1 && base == index.WithoutLine(typed) {
			n.Near, n.Same = same[:min(len(same), sameFiles)], len(same)
			break
		}
		n.Near = at.Near(typed, nearFiles)
	}
	return n, nil
}

// recognize sets what a path is, if anything is known about it.
func (t *Set) recognize(ctx context.Context, w *Checkout, n *api.NamedFiles) error {
	n.Is = api.NameUnknown
	if w.Tree().Has(n.Path) {
		n.Is, n.Files = api.NameFile, []event.Path{n.Path}
		return nil
	}
	if below := t.below(w, n.Path); len(below) > 0 {
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

// below returns the files below a folder, at most folderFiles, ordered by how often they were opened
// and committed. Those that were used most come last.
func (t *Set) below(w *Checkout, dir event.Path) []event.Path {
	files := slices.DeleteFunc(w.Tree().All(), func(f event.Path) bool {
		return !strings.HasPrefix(string(f), string(dir)+"/")
	})
	uses := t.Hot.Of(event.Strings(files), t.Now(), hot.Frequency, hot.Churn)
	used := make(map[event.Path]float64, len(files))
	for i, f := range files {
		used[f] = uses[0][i] + uses[1][i]
	}
	slices.SortFunc(files, func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(used[a], used[b]), cmp.Compare(len(b.Base()), len(a.Base())), cmp.Compare(b, a))
	})
	return files[max(0, len(files)-folderFiles):]
}

// Paths returns those that are paths of a repository, each once, in order.
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

// Clean removes what must not be stored from an event. Of a rename it keeps the pairs for which
// both names are kept.
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

// keep drops ignored files and names that are not paths of a repository.
func (w *Checkout) keep(in []event.Path) []event.Path {
	var out []event.Path
	for _, p := range in {
		if q, err := event.NewPath(string(p)); err == nil && !w.Repo.Ignored(q) {
			out = append(out, q)
		}
	}
	return out
}
