package watcher

import (
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// maxSubject is how much of a commit's subject an event keeps, in bytes.
const maxSubject = 200

// commit makes what an event says of a commit: its files under today's names, without excluded
// ones. The old name of a renamed file is neither in Paths nor in Gone.
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
		// What was renamed here is not gone, nor what was deleted once and exists today under
		// another name.
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

// gone is the name that a commit took away, "" for none.
func (f *FileChange) gone() event.Path {
	if f.Status == 'D' {
		return f.Path
	}
	return f.From
}

// event is an event of git about a commit.
func (c *Commit) event(id string, b event.Body) event.Event {
	return event.Event{ID: id, Time: time.Unix(c.Time, 0).UTC(), Agent: "git", Body: b}
}

// limitPaths sorts and keeps event.MaxPaths.
func limitPaths(paths []event.Path) []event.Path {
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return paths[:min(len(paths), event.MaxPaths)]
}

// renameEvent makes the event of a commit's renames. ok is false if only excluded files were
// renamed.
func (r *Repo) renameEvent(id string, c *Commit, renames []rename) (e event.Event, ok bool) {
	var b event.Rename
	for _, m := range renames {
		if !r.Excluded(m.to) && len(b.To) < event.MaxPaths {
			b.From, b.To = append(b.From, m.from), append(b.To, m.to)
		}
	}
	return c.event(id, b), len(b.To) > 0
}
