package hooks

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// place maps names on disk to paths of the repository. Everything inside is in slash form, so that a
// transcript written on Windows can be read elsewhere.
type place struct {
	tree  *index.Tree
	roots []string // worktrees, and the names under which the agent sees them through a symlink
	cwd   string   // absolute; "" when unknown
}

// newPlace prepares the roots for calls made in cwd. The disk is asked once, and only if cwd is in no root
// by its letters: then it may be one through a symlink.
func newPlace(r Repo, cwd string) *place {
	pl := &place{tree: r.Tree}
	for _, root := range append([]event.Root{r.Root}, r.Roots...) {
		if root != "" {
			pl.roots = append(pl.roots, strings.TrimSuffix(slash(string(root)), "/"))
		}
	}
	pl.cwd = pl.drive(slash(cwd))
	if !absolute(pl.cwd) {
		pl.cwd = ""
		return pl
	}
	pl.cwd = path.Clean(pl.cwd)
	if _, ok := pl.inside(pl.cwd); ok {
		return pl
	}
	if alias := pl.alias(cwd); alias != "" {
		pl.roots = append(pl.roots, alias)
	}
	return pl
}

// alias is the name of a root as cwd spells it: /link/repo for /link/repo/sub when that really is /repo/sub.
func (pl *place) alias(cwd string) string {
	if len(cwd) > event.MaxPath || strings.IndexByte(cwd, 0) >= 0 {
		return ""
	}
	real, err := filepath.EvalSymlinks(cwd)
	if err != nil {
		return ""
	}
	rel, ok := pl.inside(slash(real))
	if !ok {
		return ""
	}
	if rel == "" {
		return pl.cwd
	}
	if alias, found := strings.CutSuffix(pl.cwd, "/"+rel); found {
		return alias
	}
	return ""
}

// inside is the part of an absolute name below the deepest root that holds it: linked worktrees may lie
// inside the main one. Letter case does not matter behind a drive letter.
func (pl *place) inside(name string) (rel string, ok bool) {
	best := -1
	for _, root := range pl.roots {
		if len(root) <= best || len(name) < len(root) {
			continue
		}
		head, tail := name[:len(root)], name[len(root):]
		if head != root && !(drive(root) && strings.EqualFold(head, root)) {
			continue
		}
		if tail == "" || tail[0] == '/' {
			rel, best, ok = strings.TrimPrefix(tail, "/"), len(root), true
		}
	}
	if !ok {
		return "", false
	}
	return pl.unnest(rel), true
}

// unnest maps a file of a worktree that the agent made below .claude/worktrees and that git may no longer
// know to the file that it is a checkout of.
func (pl *place) unnest(rel string) string {
	rest, ok := strings.CutPrefix(rel, ".claude/worktrees/")
	if !ok {
		return rel
	}
	i := strings.IndexByte(rest, '/')
	if i < 0 || pl.tree == nil || !pl.tree.Has(event.Path(rest[i+1:])) {
		return rel
	}
	return rest[i+1:]
}

// file is the path of a name that a tool was given: absolute, or relative to dir ("" is cwd). A name that is
// not known is looked up through symlinks once; new files are allowed.
func (pl *place) file(name, dir string) (event.Path, bool) {
	abs := pl.abs(name, dir)
	if abs == "" {
		return "", false
	}
	rel, ok := pl.inside(abs)
	if ok {
		if p, err := event.NewPath(rel); err == nil && (pl.tree == nil || pl.tree.Has(p)) {
			return p, true
		}
	}
	if real, err := filepath.EvalSymlinks(filepath.FromSlash(abs)); err == nil {
		if r, in := pl.inside(slash(real)); in {
			rel, ok = r, true
		}
	}
	if !ok {
		return "", false
	}
	p, err := event.NewPath(rel)
	return p, err == nil
}

// known is the path of a name if the tree has it: no disk, no guesses.
func (pl *place) known(name, dir string) (event.Path, bool) {
	if pl.tree == nil || name == "" {
		return "", false
	}
	abs := pl.abs(name, dir)
	if abs == "" {
		return "", false
	}
	rel, ok := pl.inside(abs)
	return event.Path(rel), ok && pl.tree.Has(event.Path(rel))
}

// abs makes a name absolute and clean; "" if it cannot be.
func (pl *place) abs(name, dir string) string {
	if name == "" || len(name) > event.MaxPath || strings.IndexByte(name, 0) >= 0 {
		return ""
	}
	name = pl.drive(slash(name))
	if !absolute(name) {
		if dir == "" {
			dir = pl.cwd
		}
		if dir == "" {
			return ""
		}
		return path.Join(dir, name)
	}
	return path.Clean(name)
}

// drive turns the /c/x of a Unix shell on Windows into c:/x when the roots have drive letters.
func (pl *place) drive(name string) string {
	if len(name) > 2 && name[0] == '/' && name[2] == '/' && letter(name[1]) && len(pl.roots) > 0 && drive(pl.roots[0]) {
		return name[1:2] + ":" + name[2:]
	}
	return name
}

// slash turns backslashes into slashes where they separate folders: on Windows, behind a drive letter, and
// in names without any slash. A backslash elsewhere is a letter of a Unix file name.
func slash(name string) string {
	if strings.IndexByte(name, '\\') < 0 {
		return name
	}
	if filepath.Separator == '\\' || drive(name) || strings.IndexByte(name, '/') < 0 {
		return strings.ReplaceAll(name, `\`, "/")
	}
	return name
}

func absolute(name string) bool { return strings.HasPrefix(name, "/") || drive(name) }

// drive reports whether the name begins with a drive: C:\ or C:/.
func drive(name string) bool {
	return len(name) > 2 && name[1] == ':' && (name[2] == '/' || name[2] == '\\') && letter(name[0])
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
