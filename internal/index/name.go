package index

import (
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Rung is one of the rules by which Locator.Find looks for a name. They are ordered, from the
// surest to the least sure.
type Rung uint8

const (
	None     Rung = iota // the name means no file, or several
	Exact                // the path relative to the caller's folder
	Root                 // the path relative to the root of the repository
	Below                // several files match by End, and this is the only one below the caller's folder
	End                  // the only file that shares the longest end of the path, see Locator.Files
	Line                 // one of the rules above, without the line or revision in the name: a.go:12, a.go#L3, HEAD:a.go
	Base                 // the only file with that base name, or the one that shares most of the folders
	Form                 // the name with another extension or case, or a module in place of its folder
	Spelling             // the only file with nearly that path
)

// Find returns the one file that a name means, and the rule by which it was found. It tries the
// rules from first to last. It returns "" and None if no file or several are meant. dirs are
// absolute folders that the name may be relative to; without any, it is the caller's folder. The
// rules from Base on apply only to a path in the repository that no file has. Find reads nothing
// from disk and takes microseconds.
func (l *Locator) Find(name string, first, last Rung, dirs ...string) (event.Path, Rung) {
	if l.Tree == nil || name == "" || len(name) > event.MaxPath {
		return "", None
	}
	p, at := l.find(name, first, last, dirs)
	folder, _, inFolder := strings.Cut(name, "/")
	if inFolder && at > Root && strings.Contains(folder, " ") && !strings.Contains(string(p), folder) {
		return "", None // words before a path: a sentence
	}
	return p, at
}

// find is Find for a name that is not examined as a whole.
func (l *Locator) find(name string, first, last Rung, dirs []string) (event.Path, Rung) {
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
	if last < Base {
		return "", None
	}
	wrong := l.wrong(name)
	if wrong == "" || l.Tree.Has(wrong) {
		return "", None
	}
	for rung := max(first, Base); rung <= min(last, Spelling); rung++ {
		if p, ok := l.Tree.meant(wrong, rung); ok {
			return p, rung
		}
	}
	return "", None
}

// whole tries the rules up to End, or up to last if that comes first. If the worktrees are known,
// an absolute name must be in one of them. A relative name that is longer than the path of a file
// at the root means that file only if its additional folders are those that contain the repository.
func (l *Locator) whole(name string, last Rung, dirs []string) (event.Path, Rung) {
	if len(l.Tree.Base(name[strings.LastIndexAny(name, `/\`)+1:])) == 0 {
		return "", None // most words of a text are not file names and end here
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

// above reports whether dirs are the folders that contain the repository. Someone who works in the
// folder above writes "aoa/README.md".
func (l *Locator) above(dirs string) bool {
	dirs = strings.TrimSuffix(dirs, "/")
	for _, root := range l.roots {
		if strings.HasSuffix(root, "/"+dirs) {
			return true
		}
	}
	return strings.Trim(dirs, "./") == ""
}

// besideLine finds the file of a name that also has a line, a symbol or a revision.
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

// wrong returns the path in the repository that a name means but no file has. It is "" if the name
// is outside of the repository or belongs to an installed package, because such a file is not in
// the repository whatever its name is.
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

// cutLine splits a name from its line, symbol or revision. A line or a symbol follows the name,
// which is then head; a revision precedes it, and the name is tail. tail is "" if there is no
// colon. The colon of a drive does not count. A sentence that begins with a name and its line has no
// place, because the symbol at a place is one word.
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
	if tail != "" && '0' <= tail[0] && tail[0] <= '9' && len(strings.Fields(tail)) > 2 {
		return name, ""
	}
	tail, _, _ = strings.Cut(tail, ":")
	return head, tail
}

// WithoutLine removes the place that compilers, editors and forges write after the name of a file,
// as in a.go:12:3, a.go:12:text, a.go:12 symbol, a.go:text and a.go#L3, and a revision before it, as
// in HEAD:a.go. Other names are returned unchanged.
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

// cleanName returns a name with slashes and without leading "../".
func cleanName(name string) string {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	return name
}

// maxMeant is the largest number of files that one name may mean. A name that fits more files means
// none.
const maxMeant = 3

// Files returns the files that a path in a text or in a stack frame means, at most 3: those that
// share the longest end with it. The path may be absolute, begin above the root (site-packages,
// another person's checkout) or name only the last folders. The result is empty if more than 3
// files fit, and for a path in another project: node_modules/x/package.json is not package.json.
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

// ends returns the files that share the longest end with a path. The path is clean.
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
	longest, complete := 0, false // whether a file's whole path matches
	for _, p := range t.Base(parts[len(parts)-1]) {
		depth := 1 + strings.Count(string(p), "/")
		n := commonEnd(string(p), parts)
		switch {
		case n < longest, foreign && n < len(parts): // a worse match, or a file of another package
			continue
		case n == len(parts): // everything that the text wrote matches
		// the whole path of the file matches, below another root
		case n == depth && (n > 1 || absolute || parts[0] == "a" || parts[0] == "b"):
		case n < 2 || !absolute: // Only the base name matches.
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

// installedMarks are folders with installed packages. After one of them comes the name of a
// package, whose files may be those of this repository.
var installedMarks = []string{"site-packages/", "dist-packages/", "node_modules/", "/vendor/", "/pkg/mod/",
	"/registry/src/", "/gems/"}

// installedPath returns the part of a path below the folder with installed packages. ok is false if
// there is no such folder in it.
func installedPath(name string) (rest string, ok bool) {
	for _, mark := range installedMarks {
		if at := strings.LastIndex("/"+name, mark); at >= 0 {
			return ("/" + name)[at+len(mark):], true
		}
	}
	// the standard library, as in /usr/lib/python3.8/json/decoder.py
	for _, mark := range [...]string{"/lib/python", "/lib64/python"} {
		if _, after, found := strings.Cut("/"+name, mark); found && after != "" && after[0] >= '0' && after[0] <= '9' {
			_, rest, _ = strings.Cut(after, "/")
			return rest, true
		}
	}
	return name, false
}

// commonEnd returns how many of the last parts a path and a list have in common.
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

// few returns the files if they are not too many. If they are, it returns the sources among them,
// or nothing if these are too many as well.
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
