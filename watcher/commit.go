package watcher

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// maxSubject is the number of bytes of a commit's subject that an event keeps.
const maxSubject = 200

// commit returns the event body of a commit: its files under today's names, without excluded ones.
// The old name of a renamed file is in neither Paths nor Gone.
func (r *Repo) commit(c *Commit, renames []rename, today currentNames) event.Commit {
	from := make(map[event.Path]bool, len(renames))
	for _, m := range renames {
		from[m.from] = true
	}
	// The text is redacted before it is cut, because half a token is not recognized.
	subject := event.Clip(redact.Text(event.Clip(strings.ToValidUTF8(c.Subject, ""), 8*maxSubject)), maxSubject)
	out := event.Commit{Author: time.Unix(c.Author, 0).UTC(), Text: subject,
		Terms: redact.Terms(subject, event.MaxTerms), Paths: make([]event.Path, 0, min(len(c.Files), event.MaxPaths))}
	for i := range c.Files {
		f := &c.Files[i]
		// A file counts as deleted unless this commit renamed it, it exists today under another name, or
		// it lived on.
		if gone := f.gone(); gone != "" && !f.Lives && !from[gone] && today.present(gone) == gone && !r.Excluded(gone) {
			out.Gone = append(out.Gone, gone)
		}
		if name := today.present(f.Path); f.Status != 'D' && !r.Excluded(name) {
			out.Paths = append(out.Paths, name)
		}
	}
	out.Paths, out.Gone = limitPaths(out.Paths), limitPaths(out.Gone)
	return out
}

// gone returns the name that the commit removed, by deleting or renaming the file; "" if it did
// neither.
func (f *FileChange) gone() event.Path {
	if f.Status == 'D' {
		return f.Path
	}
	return f.From
}

// event returns an event about the commit, at the time when it was committed.
func (c *Commit) event(id string, b event.Body) event.Event {
	return event.Event{ID: id, Time: time.Unix(c.Time, 0).UTC(), Agent: "git", Body: b}
}

// limitPaths sorts paths, removes duplicates and returns the first event.MaxPaths.
func limitPaths(paths []event.Path) []event.Path {
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return paths[:min(len(paths), event.MaxPaths)]
}

// renameEvent returns the event for the renames of a commit. ok is false if all renamed files are
// excluded.
func (r *Repo) renameEvent(id string, c *Commit, renames []rename) (e event.Event, ok bool) {
	var b event.Rename
	for _, m := range renames {
		if !r.Excluded(m.to) && len(b.To) < event.MaxPaths {
			b.From, b.To = append(b.From, m.from), append(b.To, m.to)
		}
	}
	return c.event(id, b), len(b.To) > 0
}

// rename is a file that got another name in one commit.
type rename struct{ from, to event.Path }

// renamesIn returns the renames of a commit: first those that git finds by contents, then pairs of
// one deleted and one added file that share a distinctive name. A file that lived on is not renamed.
func renamesIn(c *Commit) (out []rename) {
	deleted, added := map[string][]event.Path{}, map[string][]event.Path{} // by name
	for i := range c.Files {
		switch f := &c.Files[i]; {
		case f.Lives:
		case f.Status == 'R':
			out = append(out, rename{f.From, f.Path})
		case f.Status == 'D':
			deleted[f.Path.Base()] = append(deleted[f.Path.Base()], f.Path)
		case f.Status == 'A':
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

// commonNames are names that occur in every folder. If a file with one of them is deleted in one folder
// and another added elsewhere, that is a coincidence.
var commonNames = event.WordSet(`index main mod lib readme license makefile cmakelists dockerfile package __init__
	__main__ setup config conftest gitignore gitattributes gitkeep types utils util helpers common doc test tests build go
	cargo changelog init app default styles style template version _index`)

// distinctive reports whether a base name identifies a file.
func distinctive(base string) bool {
	stem, _, _ := strings.Cut(strings.TrimPrefix(base, "."), ".")
	return len(stem) > 2 && !commonNames[strings.ToLower(stem)]
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
