package watcher

import (
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// move is a file that got another name in one commit.
type move struct{ from, to event.Path }

// maxSame bounds the files of one content that are paired with one another; more are copies of a template.
const maxSame = 32

// moves finds the renames of a change: a deleted and an added file with the same content, then one deleted
// and one added file that share a telling name. Of several candidates those pair whose paths are most alike.
func moves(c *change) []move {
	var gone, born []*entry
	for i := range c.entries {
		switch e := &c.entries[i]; e.status {
		case 'D':
			gone = append(gone, e)
		case 'A':
			born = append(born, e)
		}
	}
	if len(gone) == 0 || len(born) == 0 {
		return nil
	}
	used := map[event.Path]bool{}
	out := pairUp(gone, born, used, func(e *entry) string { return e.blob }, maxSame)
	out = append(out, pairUp(gone, born, used, func(e *entry) string {
		if base := e.path.Base(); telling(base) {
			return base
		}
		return ""
	}, 1)...)
	slices.SortFunc(out, func(a, b move) int { return strings.Compare(string(a.from), string(b.from)) })
	return out
}

// pairUp groups the files by key ("" is no key) and pairs those of a group, the most alike first.
func pairUp(gone, born []*entry, used map[event.Path]bool, key func(*entry) string, most int) []move {
	type group struct{ gone, born []event.Path }
	groups := map[string]*group{}
	for _, e := range gone {
		if k := key(e); k != "" && !used[e.path] {
			if groups[k] == nil {
				groups[k] = &group{}
			}
			groups[k].gone = append(groups[k].gone, e.path)
		}
	}
	for _, e := range born {
		if g := groups[key(e)]; g != nil && !used[e.path] {
			g.born = append(g.born, e.path)
		}
	}
	var out []move
	for _, g := range groups {
		if len(g.gone) > most || len(g.born) > most {
			continue
		}
		out = append(out, likest(g.gone, g.born, used)...)
	}
	return out
}

// likest pairs two lists greedily; ties go by name, so that every run finds the same pairs.
func likest(gone, born []event.Path, used map[event.Path]bool) []move {
	type match struct {
		move
		like int
	}
	all := make([]match, 0, len(gone)*len(born))
	for _, from := range gone {
		for _, to := range born {
			all = append(all, match{move{from, to}, alike(string(from), string(to))})
		}
	}
	slices.SortFunc(all, func(a, b match) int {
		if a.like != b.like {
			return b.like - a.like
		}
		return strings.Compare(string(a.from)+"\x00"+string(a.to), string(b.from)+"\x00"+string(b.to))
	})
	var out []move
	for _, m := range all {
		if !used[m.from] && !used[m.to] {
			used[m.from], used[m.to] = true, true
			out = append(out, m.move)
		}
	}
	return out
}

// alike counts equal bytes at both ends of two paths; the end, where the name is, weighs double.
func alike(a, b string) int {
	n, short := 0, min(len(a), len(b))
	for n < short && a[n] == b[n] {
		n++
	}
	m := 0
	for m < short && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	return n + 2*m
}

// telling: a name that says which file it is. The common ones occur in every folder, and one that goes while
// another comes is a coincidence.
func telling(base string) bool {
	stem, _, _ := strings.Cut(strings.TrimPrefix(base, "."), ".")
	switch strings.ToLower(stem) {
	case "index", "main", "mod", "lib", "readme", "license", "makefile", "cmakelists", "dockerfile", "package", "__init__", "__main__",
		"setup", "config", "conftest", "gitignore", "gitattributes", "gitkeep", "types", "utils", "util", "helpers", "common", "doc",
		"test", "tests", "build", "go", "cargo", "changelog", "init", "app", "default", "styles", "style", "template", "version", "_index":
		return false
	}
	return len(stem) > 2
}

// lineage knows, while a walk goes from new to old, what the files of that time are called today.
type lineage struct {
	now map[event.Path]event.Path // a name of then → the name of today, where they differ
	off map[string]bool           // commits outside of HEAD's history: their renames do not count
}

// name is today's name of a file.
func (l *lineage) name(p event.Path) event.Path {
	if to, ok := l.now[p]; ok {
		return to
	}
	return p
}

// back goes behind a commit: what it renamed had its old name before. A file that was moved onto a name says
// nothing about the file that had this name earlier. (In one commit no name is both deleted and added, so the
// order of its renames does not matter.)
func (l *lineage) back(ms []move) {
	for _, m := range ms {
		today := l.name(m.to)
		delete(l.now, m.to)
		if l.now[m.from] = today; m.from == today {
			delete(l.now, m.from)
		}
	}
}
