package index

import (
	"cmp"
	"path"
	"path/filepath"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Locator finds the files that names mean: names as tools of an agent get them, in a working
// folder. Names inside of it have forward slashes, so that what was recorded on Windows can be read
// elsewhere. The zero Locator finds nothing.
type Locator struct {
	Cwd     string   // absolute; "" when unknown
	Tree    *Tree    // the files that may be named; may be nil
	roots   []string // worktrees, and the names under which the agent sees them through a symlink
	ignored func(event.Path) bool
}

// NewLocator makes a Locator for calls made in cwd. A path in any of the roots is the same
// event.Path; empty roots are skipped. tree and ignored may be nil. The disk is asked once, and
// only if cwd is in no root by its letters: then it may be in one through a symlink.
func NewLocator(tree *Tree, ignored func(event.Path) bool, cwd string, roots ...event.Root) *Locator {
	l := &Locator{Tree: tree, ignored: ignored}
	for _, root := range roots {
		if root != "" {
			l.roots = append(l.roots, strings.TrimSuffix(Slash(string(root)), "/"))
		}
	}
	if l.Cwd = l.drive(Slash(cwd)); !IsAbs(l.Cwd) {
		l.Cwd = ""
		return l
	}
	l.Cwd = path.Clean(l.Cwd)
	if _, ok := l.Inside(l.Cwd); ok {
		return l
	}
	if alias := l.alias(cwd); alias != "" {
		l.roots = append(l.roots, alias)
	}
	return l
}

// Root returns the worktree in which files are, "" if there is none.
func (l *Locator) Root() string {
	if len(l.roots) == 0 {
		return ""
	}
	return l.roots[0]
}

// Has reports whether the tree has the file.
func (l *Locator) Has(p event.Path) bool { return l.Tree != nil && l.Tree.Has(p) }

// Ignored reports whether a file must not enter the log.
func (l *Locator) Ignored(p event.Path) bool { return l.ignored != nil && l.ignored(p) }

// Folder reports whether files are known directly below p.
func (l *Locator) Folder(p event.Path) bool { return l.Tree != nil && len(l.Tree.Dir(string(p))) > 0 }

// FolderName is the name of a folder relative to the worktree, "" outside of it and for a file: the
// words of the name belong to a search in it.
func (l *Locator) FolderName(dir string) string {
	abs := l.Abs(dir, "")
	if abs == "" || dir == "" {
		return ""
	}
	rel, ok := l.Inside(abs)
	if !ok || l.Has(event.Path(rel)) {
		return ""
	}
	return rel
}

// Keep returns at most n of the paths, each once, without those that are ignored.
func (l *Locator) Keep(paths []event.Path, n int) []event.Path {
	var out []event.Path
	seen := make(map[event.Path]bool, len(paths))
	for _, p := range paths {
		if p == "" || seen[p] || len(out) >= n || l.Ignored(p) {
			continue
		}
		seen[p] = true
		out = append(out, p)
	}
	return out
}

// alias is the name of a root as cwd spells it: /link/repo for /link/repo/sub when that really is
// /repo/sub.
func (l *Locator) alias(cwd string) string {
	if len(cwd) > event.MaxPath || strings.IndexByte(cwd, 0) >= 0 {
		return ""
	}
	real, err := filepath.EvalSymlinks(cwd)
	if err != nil {
		return ""
	}
	rel, ok := l.Inside(Slash(real))
	if !ok {
		return ""
	}
	if rel == "" {
		return l.Cwd
	}
	if alias, found := strings.CutSuffix(l.Cwd, "/"+rel); found {
		return alias
	}
	return ""
}

// Inside is the part of an absolute name below the deepest root that holds it: linked worktrees may
// lie inside the main one. Letter case does not matter after a drive letter.
func (l *Locator) Inside(name string) (rel string, ok bool) {
	best := -1
	for _, root := range l.roots {
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
	return l.unnest(rel), true
}

// unnest maps a file of a worktree that the agent made below .claude/worktrees and that git may no
// longer know to the file that it is a checkout of.
func (l *Locator) unnest(rel string) string {
	rest, ok := strings.CutPrefix(rel, ".claude/worktrees/")
	if !ok {
		return rel
	}
	i := strings.IndexByte(rest, '/')
	if i < 0 || l.Tree == nil || !l.Tree.Has(event.Path(rest[i+1:])) {
		return rel
	}
	return rest[i+1:]
}

// Path is the path of a name that a tool was given: absolute, or relative to dir ("" is cwd). A
// name that is not known is looked up through symlinks once; new files are allowed.
func (l *Locator) Path(name, dir string) (event.Path, bool) {
	rel, ok := l.Place(name, dir)
	p, err := event.NewPath(rel)
	return p, ok && err == nil
}

// Place is Path for a file or a folder: it is "" for the root.
func (l *Locator) Place(name, dir string) (rel string, ok bool) {
	abs := l.Abs(name, dir)
	if abs == "" {
		return "", false
	}
	if rel, ok = l.Inside(abs); ok && (l.Tree == nil || l.Tree.Has(event.Path(rel))) {
		return rel, true
	}
	if r, in := l.Inside(Slash(realPath(filepath.FromSlash(abs)))); in {
		return r, true
	}
	return rel, ok
}

// realPath is an absolute name with the links of those of its folders resolved that exist: the file
// may be gone or new.
func realPath(name string) string {
	for above := name; ; above = filepath.Dir(above) {
		if real, err := filepath.EvalSymlinks(above); err == nil {
			rest, _ := filepath.Rel(above, name)
			return filepath.Join(real, rest)
		}
		if above == filepath.Dir(above) {
			return name
		}
	}
}

// Known is the path of a name if the tree has it: no disk, no guesses.
func (l *Locator) Known(name, dir string) (event.Path, bool) {
	if l.Tree == nil || name == "" {
		return "", false
	}
	abs := l.Abs(name, dir)
	if abs == "" {
		return "", false
	}
	rel, ok := l.Inside(abs)
	return event.Path(rel), ok && l.Tree.Has(event.Path(rel))
}

// Abs makes a name absolute and clean; "" if it cannot be.
func (l *Locator) Abs(name, dir string) string {
	if name == "" || len(name) > event.MaxPath || strings.IndexByte(name, 0) >= 0 {
		return ""
	}
	name = l.drive(Slash(name))
	if !IsAbs(name) {
		if dir = cmp.Or(dir, l.Cwd); dir == "" {
			return ""
		}
		return path.Join(dir, name)
	}
	return path.Clean(name)
}

// drive turns the /c/x of a Unix shell on Windows into c:/x when the roots have drive letters.
func (l *Locator) drive(name string) string {
	if len(name) > 2 && name[0] == '/' && name[2] == '/' && letter(name[1]) && len(l.roots) > 0 && drive(l.roots[0]) {
		return name[1:2] + ":" + name[2:]
	}
	return name
}

// Slash turns backslashes into slashes where they separate folders: on Windows, after a drive
// letter, and in names without any slash. A backslash elsewhere is a letter of a Unix file name.
func Slash(name string) string {
	if strings.IndexByte(name, '\\') < 0 {
		return name
	}
	if filepath.Separator == '\\' || drive(name) || strings.IndexByte(name, '/') < 0 {
		return strings.ReplaceAll(name, `\`, "/")
	}
	return name
}

// IsAbs reports whether a name with slashes begins at the root of a file system or of a drive.
func IsAbs(name string) bool { return strings.HasPrefix(name, "/") || drive(name) }

// drive reports whether the name begins with a drive: C:\ or C:/.
func drive(name string) bool {
	return len(name) > 2 && name[1] == ':' && (name[2] == '/' || name[2] == '\\') && letter(name[0])
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
