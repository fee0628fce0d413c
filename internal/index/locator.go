package index

import (
	"cmp"
	"path"
	"path/filepath"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Locator finds the file that a name means, as an agent's tool would in a working folder. It writes
// names with forward slashes, so that names recorded on Windows can be read elsewhere. The zero
// Locator finds nothing.
type Locator struct {
	Cwd     string   // absolute; "" when unknown
	Tree    *Tree    // the files that may be named; may be nil
	roots   []string // worktrees, also under the names by which an agent reaches them through a symlink
	ignored func(event.Path) bool
}

// NewLocator returns a Locator for calls made in cwd. A path below any of the roots becomes the
// same event.Path; empty roots are skipped. tree and ignored may be nil. NewLocator reads the disk
// only if cwd is not spelled as being below a root, to see whether a symlink leads there.
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

// Root returns the first worktree, "" if none exists.
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

// FolderName returns the path of a folder relative to the worktree, "" for a file and for anything
// outside. A search in a folder also counts the words of the folder's name.
func (l *Locator) FolderName(dir string) string {
	rel, ok := l.Inside(l.Abs(dir, ""))
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

// alias returns the root as cwd spells it: "/link/repo" if cwd is "/link/repo/sub", which is really
// /repo/sub.
func (l *Locator) alias(cwd string) string {
	real, err := filepath.EvalSymlinks(cwd)
	rel, ok := l.Inside(Slash(real))
	if err != nil || !ok {
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

// Inside returns the part of an absolute name below its root. If several roots contain it, the
// deepest counts, because linked worktrees may be inside the main one. After a drive letter, upper
// and lower case are the same.
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

// unnest turns the path of a file in a worktree that the agent made below .claude/worktrees into
// the path that the file has in the main worktree. git may no longer know such a worktree.
func (l *Locator) unnest(rel string) string {
	if rest, below := strings.CutPrefix(rel, ".claude/worktrees/"); below {
		if _, main, _ := strings.Cut(rest, "/"); l.Has(event.Path(main)) {
			return main
		}
	}
	return rel
}

// Path returns the path in the repository for a name that a tool was given. The name is absolute,
// or relative to dir, which defaults to cwd. If the tree does not know it, symlinks are resolved
// once. The file need not exist.
func (l *Locator) Path(name, dir string) (event.Path, bool) {
	rel, ok := l.Place(name, dir)
	p, err := event.NewPath(rel)
	return p, ok && err == nil
}

// Place is like Path but also takes folders; it returns "" for the root.
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

// realPath resolves the symlinks in the existing folders of an absolute name. The file itself may
// be deleted or new.
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

// Known returns the path of a name if the tree has exactly that file. It reads no disk and guesses
// nothing.
func (l *Locator) Known(name, dir string) (event.Path, bool) {
	rel, ok := l.Inside(l.Abs(name, dir))
	return event.Path(rel), ok && l.Has(event.Path(rel))
}

// Abs returns a name as an absolute, clean one, "" if that is impossible.
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

// drive turns /c/x, as Unix shells on Windows write it, into c:/x if the roots have drive letters.
func (l *Locator) drive(name string) string {
	if len(name) > 2 && name[0] == '/' && name[2] == '/' && letter(name[1]) && len(l.roots) > 0 && drive(l.roots[0]) {
		return name[1:2] + ":" + name[2:]
	}
	return name
}

// Slash turns backslashes into slashes if they separate folders: on Windows, after a drive letter,
// and in names without any slash. Otherwise a backslash is an ordinary character of a Unix file
// name.
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

// drive reports whether a name begins with a drive, as in C:\ or C:/.
func drive(name string) bool {
	return len(name) > 2 && name[1] == ':' && (name[2] == '/' || name[2] == '\\') && letter(name[0])
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
