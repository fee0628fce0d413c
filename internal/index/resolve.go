package index

import (
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// maxMeant is the number of files that a name may mean; one that more files fit means none.
const maxMeant = 3

// Files returns the files that a path in a text means, at most 3: those that share its longest end. The path may be
// absolute, begin above the root (site-packages, another person's checkout) or name only the last folders. None is
// meant if more than 3 fit, and if the path is one of another project: node_modules/x/package.json is not package.json.
func (t *Tree) Files(name string) []event.Path {
	if name == "" || len(name) > event.MaxPath {
		return nil
	}
	absolute := name[0] == '/' || name[0] == '~' || len(name) > 2 && name[1] == ':'
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	if t.Has(event.Path(name)) {
		return []event.Path{event.Path(name)}
	}
	installed, foreign := installedPath(name)
	if foreign {
		name = installed
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
	if len(parts) == 0 {
		return nil
	}
	var found []event.Path
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
	return few(found)
}

// installedMarks are folders in which packages are installed. The path of a file of this repository goes on with its
// package.
var installedMarks = []string{"site-packages/", "dist-packages/", "node_modules/", "/vendor/", "/pkg/mod/",
	"/registry/src/", "/gems/"}

// installedPath returns the path within the folder in which packages are installed. ok is false if a path has none.
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

// packageFiles stand for the folder that they are in.
var packageFiles = strings.Fields(`__init__.py __init__.pyx mod.rs lib.rs main.rs index.ts index.tsx index.js
	index.mjs index.jsx init.lua`)

// Modules returns the files that a dotted name means, at most 3: sphinx.ext.autodoc.Documenter is
// sphinx/ext/autodoc/__init__.py, com.foo.Bar is …/com/foo/Bar.java, crate::a::b is src/a/b.rs. Names that follow the
// module are left out, from the last on. A path without its extension (a/b/c) is a dotted name, too.
func (t *Tree) Modules(name string) []event.Path {
	parts := strings.FieldsFunc(strings.ReplaceAll(name, "->", "."),
		func(r rune) bool { return strings.ContainsRune(".:/#", r) })
	for len(parts) > 0 && (parts[0] == "crate" || parts[0] == "self" || parts[0] == "super" || parts[0] == "std" &&
		len(parts) > 1) {
		parts = parts[1:]
	}
	for n := min(len(parts), 16); n > 0; n-- {
		if found := t.module(parts[:n]); len(found) > 0 {
			return found
		}
	}
	return nil
}

// module returns the files whose path without its extension ends in the parts, or is the end of them.
func (t *Tree) module(parts []string) []event.Path {
	var found []event.Path
	longest := 0
	consider := func(p event.Path, name string) {
		n := commonEnd(name, parts)
		if n < longest || n < len(parts) && (n < 2 || n < 1+strings.Count(name, "/")) {
			return
		}
		if n > longest {
			found, longest = found[:0], n
		}
		found = append(found, p)
	}
	last := parts[len(parts)-1]
	// Files are listed by Stem, which is in lower case and without the marks of tests.
	stem := event.Path(last + ".x").Stem()
	for _, p := range t.list(t.stem, stem) {
		if ext := path.Ext(p.Base()); KindOf(p) <= KindTest && len(ext) > 0 && languageOf(p) != nil {
			consider(p, strings.TrimSuffix(string(p), ext))
		}
	}
	for _, base := range packageFiles {
		for _, p := range t.Base(base) {
			if dir := p.Dir(); dir != "" && strings.HasSuffix(dir, last) {
				consider(p, dir)
			}
		}
	}
	if longest == 1 && len(found) > 1 {
		return nil // a single word that several files have
	}
	return few(found)
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
