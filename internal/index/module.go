package index

import (
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// standing are the usual names of a file that stands for its folder, in the order in which they are
// tried. The names before main.go are those that an import of the folder means.
var standing = strings.Fields(`index.ts index.tsx index.js index.jsx index.mjs mod.rs lib.rs main.rs __init__.py
	__init__.pyx init.lua main.go doc.go SKILL.md README.md readme.md`)

// moduleFiles are the names of files that an import of their folder means.
var moduleFiles = standing[:slices.Index(standing, "main.go")]

func moduleFile(p event.Path) bool { return slices.Contains(moduleFiles, p.Base()) }

// Entrance returns the file that stands for a folder: its only file, one with a usual name, one
// with the name of the folder, or the only one that is not a test. ok is false if there is none.
func (t *Tree) Entrance(dir event.Path) (file event.Path, ok bool) {
	files := t.Dir(string(dir))
	if len(files) == 1 {
		return files[0], true
	}
	for _, name := range standing {
		if f := event.Path(path.Join(string(dir), name)); t.Has(f) {
			return f, true
		}
	}
	source := func(f event.Path) bool { return !strings.Contains(f.Base(), "test") }
	if f, ok := only(files, func(f event.Path) bool { return source(f) && f.Stem() == strings.ToLower(dir.Base()) }); ok {
		return f, true
	}
	return only(files, source)
}

// Modules returns the files that a dotted name means, at most 3: sphinx.ext.autodoc.Documenter is
// sphinx/ext/autodoc/__init__.py, com.foo.Bar is …/com/foo/Bar.java, crate::a::b is src/a/b.rs. If
// nothing matches the whole name, its last parts are dropped one by one. A path without an
// extension (a/b/c) counts as a dotted name.
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

// module returns the files whose path without its extension ends in the parts, or is itself the end
// of the parts.
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
	// Tree lists files by Stem, which is in lower case and without the marks of tests.
	stem := event.Path(last + ".x").Stem()
	for _, p := range t.list(t.stem, stem) {
		if ext := path.Ext(p.Base()); KindOf(p) <= KindTest && len(ext) > 0 && languageOf(p) != nil {
			consider(p, strings.TrimSuffix(string(p), ext))
		}
	}
	for _, base := range moduleFiles {
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
