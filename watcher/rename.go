package watcher

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// rename is a file that got another name in one commit.
type rename struct{ from, to event.Path }

// maxSame bounds the files of one content that are paired with one another; more are copies of a
// template.
const maxSame = 32

// renamesIn finds the renames of a commit: a deleted and an added file with the same content, then
// one deleted and one added file that share a distinctive name. Of several candidates those pair
// whose paths are most alike.
func renamesIn(c *Commit) []rename {
	var deleted, added []*FileChange
	for i := range c.Files {
		switch f := &c.Files[i]; f.Status {
		case 'D':
			deleted = append(deleted, f)
		case 'A':
			added = append(added, f)
		}
	}
	if len(deleted) == 0 || len(added) == 0 {
		return nil
	}
	used := map[event.Path]bool{}
	out := pair(deleted, added, used, func(f *FileChange) string { return f.Blob }, maxSame)
	out = append(out, pair(deleted, added, used, func(f *FileChange) string {
		if base := f.Path.Base(); distinctive(base) {
			return base
		}
		return ""
	}, 1)...)
	slices.SortFunc(out, func(a, b rename) int { return cmp.Compare(a.from, b.from) })
	return out
}

// pair groups the files by key (files with key "" are left alone) and pairs those of a group, the
// most similar first. Groups with more than most files on a side are left out.
func pair(deleted, added []*FileChange, used map[event.Path]bool, key func(*FileChange) string, most int) []rename {
	type group struct{ deleted, added []event.Path }
	groups := map[string]*group{}
	for _, f := range deleted {
		if k := key(f); k != "" && !used[f.Path] {
			if groups[k] == nil {
				groups[k] = &group{}
			}
			groups[k].deleted = append(groups[k].deleted, f.Path)
		}
	}
	for _, f := range added {
		if g := groups[key(f)]; g != nil && !used[f.Path] {
			g.added = append(g.added, f.Path)
		}
	}
	var out []rename
	for _, g := range groups {
		if len(g.deleted) <= most && len(g.added) <= most {
			out = append(out, mostAlike(g.deleted, g.added, used)...)
		}
	}
	return out
}

// mostAlike pairs two lists greedily. Ties go by name, so that every run finds the same pairs.
func mostAlike(deleted, added []event.Path, used map[event.Path]bool) []rename {
	type match struct {
		rename
		alike int
	}
	all := make([]match, 0, len(deleted)*len(added))
	for _, from := range deleted {
		for _, to := range added {
			all = append(all, match{rename{from, to}, alike(string(from), string(to))})
		}
	}
	slices.SortFunc(all, func(a, b match) int {
		return cmp.Or(b.alike-a.alike, strings.Compare(string(a.from)+"\x00"+string(a.to),
			string(b.from)+"\x00"+string(b.to)))
	})
	var out []rename
	for _, m := range all {
		if !used[m.from] && !used[m.to] {
			used[m.from], used[m.to] = true, true
			out = append(out, m.rename)
		}
	}
	return out
}

// alike counts equal bytes at both ends of two paths; those at the end, where the name is, count
// double.
func alike(a, b string) int {
	n, m, short := 0, 0, min(len(a), len(b))
	for n < short && a[n] == b[n] {
		n++
	}
	for m < short && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	return n + 2*m
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
