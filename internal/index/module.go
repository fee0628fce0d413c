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
	__init__.pyx init.lua _index.scss main.go doc.go SKILL.md README.md readme.md`)

// moduleFiles are the names of files that an import of their folder means.
var moduleFiles = standing[:slices.Index(standing, "main.go")]

func moduleFile(p event.Path) bool { return slices.Contains(moduleFiles, p.Base()) }

// Entrance returns the file that stands for a folder: its only file, one with a usual name, one
// with the name of the folder, or the only one that is not a test. ok is false if none exists.
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
