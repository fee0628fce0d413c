package watcher

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// rename is a file that got another name in one commit.
type rename struct{ from, to event.Path }

// renamesIn returns the renames of a commit: first those that git finds by equal contents, then
// pairs of one deleted and one added file that share a distinctive name.
func renamesIn(c *Commit) (out []rename) {
	deleted, added := map[string][]event.Path{}, map[string][]event.Path{} // by name
	for i := range c.Files {
		switch f := &c.Files[i]; f.Status {
		case 'R':
			out = append(out, rename{f.From, f.Path})
		case 'D':
			deleted[f.Path.Base()] = append(deleted[f.Path.Base()], f.Path)
		case 'A':
			added[f.Path.Base()] = append(added[f.Path.Base()], f.Path)
		}
	}
	for base, from := range deleted {
		if to := added[base]; len(from) == 1 && len(to) == 1 && distinctive(base) {
			out = append(out, rename{from[0], to[0]})
		}
	}
	slices.SortFunc(out, func(a, b rename) int { return cmp.Compare(a.from, b.from) })
	return out
}

// distinctive reports whether a base name identifies a file. Common names occur in every folder; if
// one of them is deleted in one folder and another added elsewhere, that is a coincidence.
func distinctive(base string) bool {
	stem, _, _ := strings.Cut(strings.TrimPrefix(base, "."), ".")
	switch strings.ToLower(stem) {
	case "index", "main", "mod", "lib", "readme", "license", "makefile", "cmakelists", "dockerfile", "package", "__init__",
		"__main__",
		"setup", "config", "conftest", "gitignore", "gitattributes", "gitkeep", "types", "utils", "util", "helpers", "common",
		"doc",
		"test", "tests", "build", "go", "cargo", "changelog", "init", "app", "default", "styles", "style", "template",
		"version", "_index":
		return false
	}
	return len(stem) > 2
}

// currentNames maps the names that files had at some time in the past to the names that they have
// today. A walk through the history updates it from new to old.
type currentNames map[event.Path]event.Path // only names that differ have an entry

// present returns today's name of a file.
func (n currentNames) present(p event.Path) event.Path {
	if to, ok := n[p]; ok {
		return to
	}
	return p
}

// before goes back to the time before a commit, when its renamed files had their old names. This
// does not affect another file that had the new name earlier. In one commit no name is both deleted
// and added, so the order of its renames does not matter.
func (n currentNames) before(renames []rename) {
	for _, m := range renames {
		today := n.present(m.to)
		delete(n, m.to)
		if n[m.from] = today; m.from == today {
			delete(n, m.from)
		}
	}
}
