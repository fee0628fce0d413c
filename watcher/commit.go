package watcher

import (
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
		// A file counts as deleted unless this commit renamed it or it exists today under another
		// name.
		if gone := f.gone(); gone != "" && !from[gone] && today.present(gone) == gone && !r.Excluded(gone) {
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
