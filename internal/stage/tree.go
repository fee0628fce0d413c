package stage

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/aoa-dev/aoa/internal/event"
)

// Lister lists the files of a worktree that globs may match, sorted, and the absolute names of everything that the
// list depends on: it is valid as long as each of those has the same identity.
type Lister func(ctx context.Context) (files []event.Path, basis []string, err error)

// dep is one dependency: its name in the key, and its absolute name.
type dep struct{ name, abs string }

// tree is one worktree: its list of files, kept as long as it is valid, and what patterns matched in it.
type tree struct {
	root string
	list Lister
	now  func() time.Time

	mu      sync.Mutex // one listing at a time
	files   []event.Path
	basis   []basisFile
	recent  bool // something of the basis changed too recently: list again
	matched map[string][]dep
}

// basisFile is one file or folder of the basis.
type basisFile struct {
	name string
	id   identity
	none bool // there was no such file
}

func newTree(root string, list Lister, now func() time.Time) *tree {
	return &tree{root: root, list: list, now: now}
}

// maxMatched bounds the patterns whose matches are kept.
const maxMatched = 256

// matches returns the listed files that a pattern names: a glob, or a folder ending in "/".
func (t *tree) matches(ctx context.Context, pattern string) ([]dep, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.holds(pattern) {
		if err := t.relist(ctx); err != nil {
			return nil, err
		}
	}
	if found, ok := t.matched[pattern]; ok {
		return found, nil
	}
	base := fixed(pattern)
	lo := sort.Search(len(t.files), func(i int) bool { return string(t.files[i]) >= base })
	var found []dep
	for _, p := range t.files[lo:] {
		if !strings.HasPrefix(string(p), base) {
			break
		}
		if base == pattern || doublestar.MatchUnvalidated(pattern, string(p)) {
			found = append(found, dep{string(p), t.abs(string(p))})
		}
	}
	if len(t.matched) >= maxMatched {
		clear(t.matched)
	}
	t.matched[pattern] = found
	return found, nil
}

// fixed is the folder, with its slash, that contains everything a pattern matches; "" is the root.
func fixed(pattern string) string {
	if strings.HasSuffix(pattern, "/") {
		return pattern
	}
	base, _ := doublestar.SplitPattern(pattern)
	if base == "." {
		return ""
	}
	return base + "/"
}

// holds reports whether the list is still valid below the pattern's folder.
func (t *tree) holds(pattern string) bool {
	if t.matched == nil || t.recent {
		return false
	}
	below := filepath.Join(t.root, filepath.FromSlash(fixed(pattern)))
	for _, g := range t.basis {
		if g.id.mode.IsDir() && !g.none && g.name != below && !strings.HasPrefix(g.name, below+string(filepath.Separator)) {
			continue
		}
		id, err := stat(g.name)
		if err != nil && !g.none || err == nil && (g.none || id != g.id) {
			return false
		}
	}
	return true
}

// relist lists again, and notes the identities of the basis. A change in between is seen the next time.
func (t *tree) relist(ctx context.Context) error {
	seen := t.now()
	files, names, err := t.list(ctx)
	if err != nil {
		return err
	}
	t.files, t.matched, t.recent = files, map[string][]dep{}, false
	t.basis = t.basis[:0]
	for _, name := range names {
		id, err := stat(name)
		t.basis = append(t.basis, basisFile{name, id, err != nil})
		t.recent = t.recent || err == nil && !id.reliable(seen)
	}
	return nil
}

func (t *tree) abs(name string) string {
	return t.root + string(filepath.Separator) + filepath.FromSlash(name)
}

// resolve finds the dependencies of a request, sorted by name, and the globs that match nothing. A declared output is
// no dependency: a run would change its own key.
func (t *tree) resolve(ctx context.Context, r *Request) (deps []dep, idle []string, err error) {
	var without []string
	for _, p := range r.Deps {
		if rest, not := strings.CutPrefix(p, "!"); not {
			clean, err := cleanPattern(rest, true)
			if err != nil {
				return nil, nil, err
			}
			without = append(without, clean)
			continue
		}
		found, err := t.named(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		if len(found) == 0 {
			idle = append(idle, p)
		}
		deps = append(deps, found...)
	}
	for _, p := range r.Outputs {
		if p, err := cleanPattern(p, false); err == nil {
			without = append(without, p)
		}
	}
	if len(without) > 0 {
		deps = slices.DeleteFunc(deps, func(d dep) bool {
			return slices.ContainsFunc(without, func(p string) bool { return covers(p, d.name) })
		})
	}
	slices.SortFunc(deps, func(a, b dep) int { return strings.Compare(a.name, b.name) })
	return slices.Compact(deps), idle, nil
}

// named finds what one pattern means. A file of exactly that name has precedence: names may contain brackets.
func (t *tree) named(ctx context.Context, pattern string) ([]dep, error) {
	p, err := cleanPattern(pattern, true)
	if err != nil {
		return nil, err
	}
	name, abs := p, t.abs(p)
	if filepath.IsAbs(filepath.FromSlash(p)) {
		abs = filepath.FromSlash(p)
		if rel, ok := event.Root(t.root).Path(abs); ok {
			name, p = string(rel), string(rel)
		} else if abs == t.root {
			name, p, abs = ".", ".", t.root
		}
	}
	id, err := stat(abs)
	switch {
	case err == nil && id.mode.IsDir():
		return t.folder(ctx, name, abs)
	case err == nil, !glob(p):
		return []dep{{name, abs}}, nil
	case filepath.IsAbs(p):
		return nil, fmt.Errorf("%w: pattern %s: outside the repository only names are allowed", ErrRequest, pattern)
	}
	found, err := t.matches(ctx, p)
	return slices.Clone(found), err
}

// folder is the files that a folder's name means: those that are listed; all of them in one that is not listed
// (ignored, a submodule, outside).
func (t *tree) folder(ctx context.Context, name, abs string) ([]dep, error) {
	if !filepath.IsAbs(filepath.FromSlash(name)) {
		pattern := name + "/"
		if name == "." {
			pattern = "**"
		}
		found, err := t.matches(ctx, pattern)
		if err != nil || len(found) > 0 {
			return slices.Clone(found), err
		}
	}
	var out []dep
	err := filepath.WalkDir(abs, func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir() && e.Name() == ".git" && file != abs:
			return fs.SkipDir
		case e.IsDir() || e.Name() == ".git":
			return nil
		case len(out) >= maxWalked:
			return fmt.Errorf("%w: folder %s holds more than %d files, name what matters in it", ErrRequest, name, maxWalked)
		}
		out = append(out, dep{name + "/" + filepath.ToSlash(strings.TrimPrefix(file, abs+string(filepath.Separator))), file})
		return nil
	})
	if missing(err) {
		err = nil // a file was deleted meanwhile: the rest is right
	}
	if err == nil && len(out) == 0 {
		out = []dep{{name, abs}}
	}
	return out, err
}

// maxWalked bounds the files of a folder that git does not list.
const maxWalked = 200_000

// template is the part of the request's template.
func (m *memo) template(r *Request) (keyPart, error) {
	sum, err := m.file(r.Template)
	if os.IsNotExist(err) {
		return keyPart{}, fmt.Errorf("%w: template %s does not exist", ErrRequest, r.Template)
	}
	return keyPart{Kind: kindTemplate, Sum: sum}, err
}
