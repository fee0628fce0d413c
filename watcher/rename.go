package watcher

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// rename is a file that got another name in one commit.
type rename struct{ from, to event.Path }

// renamesIn finds the renames of a commit: those that git finds, of files with the same content,
// then one deleted and one added file that share a distinctive name.
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

// distinctive reports whether a name identifies a file. The common ones occur in every folder; that
// one is deleted while another is added is a coincidence.
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

// currentNames knows, while a walk goes from new to old, what the files of that time are called
// today.
type currentNames map[event.Path]event.Path // a name of that time → today's, where they differ

// present is today's name of a file.
func (n currentNames) present(p event.Path) event.Path {
	if to, ok := n[p]; ok {
		return to
	}
	return p
}

// before goes to the time before a commit: what it renamed had its old name then. It does not
// concern the file that had the new name earlier. In one commit no name is both deleted and added,
// so the order of its renames does not matter.
func (n currentNames) before(renames []rename) {
	for _, m := range renames {
		today := n.present(m.to)
		delete(n, m.to)
		if n[m.from] = today; m.from == today {
			delete(n, m.from)
		}
	}
}
