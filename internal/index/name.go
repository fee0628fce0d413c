package index

import (
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Rung is a step of the ladder on which a name finds a file, the surest first.
type Rung uint8

const (
	None     Rung = iota // no file is meant, or several
	Exact                // the path, as seen from the caller's folder
	Root                 // the path, as seen from the root of the repository
	Below                // of several files for End the only one below the caller's folder
	End                  // the only file that shares the longest end of the path, see Locator.Files
	Line                 // one of these but for what stands beside: a.go:12, a.go#L3, HEAD:a.go
	Base                 // the only file of that name, or the one that shares most of its folders
	Form                 // the name in another form: extension, case, a module and its folder
	Spelling             // the only file of nearly that path
)

// Find returns the one file that a name means and the rung on which it was found, from first to
// last; "" and None if none is meant, or several. dirs are the folders that the name may be
// relative to, absolute; without any it is that of the caller. From Base on, the name is a path of
// the repository that nothing has: a file is never found by its own path. Find reads nothing from
// disk. It looks up names: microseconds.
func (l *Locator) Find(name string, first, last Rung, dirs ...string) (event.Path, Rung) {
	if l.Tree == nil || name == "" || len(name) > event.MaxPath {
		return "", None
	}
	if first <= End {
		if p, at := l.whole(name, last, dirs); at >= first && at <= last {
			return p, at
		}
	}
	if first <= Line && last >= Line {
		if p := l.besideLine(name, dirs); p != "" {
			return p, Line
		}
	}
	wrong := l.wrong(name)
	if last < Base || wrong == "" || l.Tree.Has(wrong) {
		return "", None
	}
	for rung := max(first, Base); rung <= min(last, Spelling); rung++ {
		if p, ok := l.Tree.meant(wrong, rung); ok {
			return p, rung
		}
	}
	return "", None
}

// whole climbs the rungs up to End, or to last before it. Absolute names must lie in a worktree, if
// the worktrees are known. A longer name means a file at the root only if its folders are those
// that the repository lies in.
func (l *Locator) whole(name string, last Rung, dirs []string) (event.Path, Rung) {
	if len(l.Tree.Base(name[strings.LastIndexAny(name, `/\`)+1:])) == 0 {
		return "", None // most words of a text end here
	}
	if len(dirs) == 0 {
		dirs = []string{l.Cwd}
	}
	for _, dir := range dirs {
		if p, ok := l.Known(name, dir); ok {
			return p, Exact
		}
	}
	if last == Exact || len(l.roots) > 0 && IsAbs(Slash(name)) {
		return "", None
	}
	clean := cleanName(name)
	if l.Tree.Has(event.Path(clean)) {
		return event.Path(clean), Root
	}
	found := l.Tree.ends(clean)
	if here, ok := l.Inside(l.Cwd); ok && here != "" && len(found) > 1 {
		below := func(p event.Path) bool { return strings.HasPrefix(string(p), here+"/") }
		if p, ok := only(found, below); ok {
			return p, Below
		}
	}
	dir, base := path.Split(clean)
	switch found = few(found); {
	case len(found) == 0 && dir != "" && l.above(dir) && l.Tree.Has(event.Path(base)):
		return event.Path(base), End
	case len(found) != 1 || found[0].Dir() == "" && IsAbs(clean):
		return "", None
	}
	return found[0], End
}

// above reports whether the folders are the ones that the repository itself lies in:
// "aoa/README.md" in the words of someone who works beside aoa.
func (l *Locator) above(dirs string) bool {
	dirs = strings.TrimSuffix(dirs, "/")
	for _, root := range l.roots {
		if strings.HasSuffix(root, "/"+dirs) {
			return true
		}
	}
	return strings.Trim(dirs, "./") == ""
}

// besideLine finds a name that has something beside it.
func (l *Locator) besideLine(name string, dirs []string) event.Path {
	head, tail := cutLine(name)
	for _, part := range [...]string{head, tail} {
		if part != "" && part != name {
			if p, at := l.whole(part, End, dirs); at != None {
				return p
			}
		}
	}
	return ""
}

// wrong is the path of the repository that a name means, which nothing has; "" outside of it, and
// for a file of an installed package, which is no file of the repository whatever its name is.
func (l *Locator) wrong(name string) event.Path {
	name = WithoutLine(name)
	rel, ok := l.Inside(l.Abs(name, ""))
	if !ok {
		if rel = cleanName(name); IsAbs(rel) {
			return ""
		}
	}
	if _, installed := installedPath(rel); installed {
		return ""
	}
	p, err := event.NewPath(rel)
	if err != nil {
		return ""
	}
	return p
}

// cutLine divides a name at what stands beside it: the line or the symbol behind the name of a file
// (then it is head), or the revision before it (then it is tail, which is "" without a colon). A
// drive is a part of the name.
func cutLine(name string) (head, tail string) {
	if i := strings.IndexByte(name, '#'); i > 0 {
		name = name[:i]
	}
	from := 0
	if drive(name) {
		from = 2
	}
	i := strings.IndexByte(name[from:], ':')
	if i < 0 {
		return name, ""
	}
	head, tail = name[:from+i], name[from+i+1:]
	tail, _, _ = strings.Cut(tail, ":")
	return head, tail
}

// WithoutLine takes the place in a file that compilers, editors and forges write behind its name
// off it: a.go:12:3, a.go:12:text, a.go:text, a.go#L3, and the revision before it, as HEAD:a.go.
// What has no such place stays.
func WithoutLine(name string) string {
	head, tail := cutLine(name)
	switch {
	case strings.Contains(name, "::"):
	case isFileExt(path.Ext(head)), tail != "" && tail[0] >= '0' && tail[0] <= '9':
		return head
	case isFileExt(path.Ext(tail)):
		return tail
	}
	return name
}

// cleanName is a name with slashes, without what leads out of the folder that it is relative to.
func cleanName(name string) string {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	return name
}

// maxMeant is the number of files that a name may mean; one that more files fit means none.
const maxMeant = 3

// Files returns the files that a path in a text or a frame of a stack means, at most 3: those that
// share its longest end. The path may be absolute, begin above the root (site-packages, another
// person's checkout) or name only the last folders. None is meant if more than 3 fit, and if the
// path is one of another project: node_modules/x/package.json is not package.json.
func (l *Locator) Files(name string) []event.Path {
	if l.Tree == nil || name == "" || len(name) > event.MaxPath {
		return nil
	}
	clean := cleanName(name)
	if l.Tree.Has(event.Path(clean)) {
		return []event.Path{event.Path(clean)}
	}
	return few(l.Tree.ends(clean))
}

// ends returns the files that share the longest end with a clean path.
func (t *Tree) ends(name string) (found []event.Path) {
	absolute := name[0] == '/' || name[0] == '~' || len(name) > 2 && name[1] == ':'
	installed, foreign := installedPath(name)
	if foreign {
		name = installed
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
	if len(parts) == 0 {
		return nil
	}
	longest, complete := 0, false // whether a whole path is found
	for _, p := range t.Base(parts[len(parts)-1]) {
		depth := 1 + strings.Count(string(p), "/")
		n := commonEnd(string(p), parts)
		switch {
		case n < longest, foreign && n < len(parts): // another package
			continue
		case n == len(parts): // all that is written
		case n == depth && (n > 1 || absolute || parts[0] == "a" || parts[0] == "b"): // the whole path: below another root
		case n < 2 || !absolute: // only the name of the file
			continue
		}
		if n > longest || n == depth {
			found, longest, complete = found[:0], n, n == depth
		} else if complete {
			continue
		}
		found = append(found, p)
	}
	return found
}

// installedMarks are folders in which packages are installed. The path of a file of this repository
// goes on with its package.
var installedMarks = []string{"site-packages/", "dist-packages/", "node_modules/", "/vendor/", "/pkg/mod/",
	"/registry/src/", "/gems/"}

// installedPath returns the path within the folder in which packages are installed. ok is false if
// a path has none.
func installedPath(name string) (rest string, ok bool) {
	for _, mark := range installedMarks {
		if at := strings.LastIndex("/"+name, mark); at >= 0 {
			return ("/" + name)[at+len(mark):], true
		}
	}
	// the standard library: /usr/lib/python3.8/json/decoder.py
	for _, mark := range [...]string{"/lib/python", "/lib64/python"} {
		if _, after, found := strings.Cut("/"+name, mark); found && after != "" && after[0] >= '0' && after[0] <= '9' {
			_, rest, _ = strings.Cut(after, "/")
			return rest, true
		}
	}
	return name, false
}

// commonEnd returns how many parts the ends of a path and of a list have in common.
func commonEnd(name string, parts []string) int {
	n := 0
	for n < len(parts) {
		at := strings.LastIndexByte(name, '/')
		if name[at+1:] != parts[len(parts)-1-n] {
			break
		}
		n++
		if at < 0 {
			break
		}
		name = name[:at]
	}
	return n
}

// few returns a list of files, sources first, or none if it is too long.
func few(files []event.Path) []event.Path {
	if len(files) > maxMeant {
		files = slices.DeleteFunc(files, func(p event.Path) bool { return KindOf(p) != KindSource })
	}
	if len(files) > maxMeant {
		return nil
	}
	slices.SortFunc(files, func(a, b event.Path) int {
		if x, y := KindOf(a), KindOf(b); x != y {
			return int(x) - int(y)
		}
		return strings.Compare(string(a), string(b))
	})
	return files
}
