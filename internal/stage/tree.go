package stage

import (
	"context"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/aoa-dev/aoa/internal/event"
)

// Place is a worktree: its root, absolute with links resolved, and its files.
type Place struct {
	Root string
	List Lister
}

// Lister lists the files of a worktree that globs may match, sorted, and the absolute names of
// everything on which the list depends. The list is valid as long as each of these has the same
// identity.
type Lister func(ctx context.Context) (files []event.Path, basis []string, err error)

// dep is one dependency: its name in the key, and its absolute name.
type dep struct{ name, abs string }

// tree is one worktree with its list of files, which is kept as long as it is valid.
type tree struct {
	Place
	now func() time.Time

	mu     sync.Mutex // held while files are listed
	files  []event.Path
	basis  map[string]identity // the zero identity means that the file did not exist
	recent bool                // something in basis changed too recently, so list again
}

// matches returns the listed files that match a glob.
func (t *tree) matches(ctx context.Context, pattern string) (found []dep, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	base, _ := doublestar.SplitPattern(pattern) // the folder that contains everything that the pattern may match
	if base += "/"; base == "./" {
		base = ""
	}
	if !t.valid(base) {
		if err := t.relist(ctx); err != nil {
			return nil, err
		}
	}
	low := sort.Search(len(t.files), func(i int) bool { return string(t.files[i]) >= base })
	for _, p := range t.files[low:] {
		if !strings.HasPrefix(string(p), base) {
			break
		}
		if doublestar.MatchUnvalidated(pattern, string(p)) {
			found = append(found, dep{string(p), t.abs(string(p))})
		}
	}
	return found, nil
}

// valid reports whether the list is still valid below a folder.
func (t *tree) valid(base string) bool {
	if t.basis == nil || t.recent {
		return false
	}
	below := filepath.Join(t.Root, filepath.FromSlash(base))
	for name, was := range t.basis {
		if was.mode.IsDir() && name != below && !strings.HasPrefix(name, below+string(filepath.Separator)) {
			continue
		}
		if id, _ := stat(name); id != was { // the zero identity if there is no file
			return false
		}
	}
	return true
}

// relist lists the files again, and records the identities of the basis. A change in between is
// noticed the next time.
func (t *tree) relist(ctx context.Context) error {
	seen := t.now()
	files, names, err := t.List(ctx)
	if err != nil {
		return err
	}
	t.files, t.basis, t.recent = files, make(map[string]identity, len(names)), false
	for _, name := range names {
		id, err := stat(name)
		t.basis[name] = id
		t.recent = t.recent || err == nil && !id.reliable(seen)
	}
	return nil
}

func (t *tree) abs(name string) string {
	return t.Root + string(filepath.Separator) + filepath.FromSlash(name)
}

// resolve returns the dependencies of a request, sorted by name, and the patterns that match no
// file. A declared output is never a dependency, because a run would then change its own key.
func (t *tree) resolve(ctx context.Context, r *Request) (deps []dep, idle []string, err error) {
	excluded := slices.Clone(r.Outputs)
	for _, p := range r.Deps {
		if rest, not := strings.CutPrefix(p, "!"); not {
			excluded = append(excluded, rest)
			continue
		}
		found, exist, err := t.named(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		if !exist {
			idle = append(idle, p)
		}
		deps = append(deps, found...)
	}
	for _, p := range excluded {
		clean, err := cleanPattern(p, true)
		if err != nil {
			return nil, nil, err
		}
		deps = slices.DeleteFunc(deps, func(d dep) bool { return covers(clean, d.name) })
	}
	slices.SortFunc(deps, func(a, b dep) int { return strings.Compare(a.name, b.name) })
	return slices.Compact(deps), idle, nil
}

// named returns what one pattern means: the file with exactly that name, which may contain
// brackets; or the listed files of a folder; or the matches of a glob. A name without a file is a
// dependency, too.
func (t *tree) named(ctx context.Context, pattern string) (found []dep, exist bool, err error) {
	p, err := cleanPattern(pattern, true)
	if err != nil {
		return nil, false, err
	}
	name, abs := p, t.abs(p)
	if filepath.IsAbs(filepath.FromSlash(p)) {
		abs = filepath.FromSlash(p)
		if rel, ok := event.Root(t.Root).Path(abs); ok {
			name = string(rel)
		} else if abs == t.Root {
			name = "."
		}
	}
	id, err := stat(abs)
	folder, outside := err == nil && id.mode.IsDir(), filepath.IsAbs(filepath.FromSlash(name))
	switch {
	case outside && (folder || err != nil && glob(name)):
		return nil, false, wrong("pattern %s: outside the repository only names are allowed", pattern)
	case folder && name == ".":
		name = "**"
	case folder:
		name = escape(name) + "/**"
	case err == nil || !glob(name):
		return []dep{{name, abs}}, err == nil, nil
	}
	found, err = t.matches(ctx, name)
	return found, len(found) > 0, err
}
