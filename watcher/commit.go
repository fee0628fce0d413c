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

// commitEvent makes the event of a commit: its files under today's names, without excluded ones. The old name of a
// renamed file is neither in Paths nor in Gone.
func (r *Repo) commitEvent(c *Commit, renames []rename, today currentNames) event.Event {
	from := make(map[event.Path]bool, len(renames))
	for _, m := range renames {
		from[m.from] = true
	}
	subject := strings.ToValidUTF8(c.Subject[:min(len(c.Subject), maxSubject)], "")
	e := event.Event{ID: "commit:" + c.ID, Time: time.Unix(c.Time, 0).UTC(), Author: time.Unix(c.Author, 0).UTC(),
		Kind: event.KindCommit, Agent: "git", Text: redact.Text(subject), Terms: redact.Terms(subject, event.MaxTerms),
		OK: true}
	e.Paths = make([]event.Path, 0, min(len(c.Files), event.MaxPaths))
	for i := range c.Files {
		f := &c.Files[i]
		switch name := today.present(f.Path); {
		case f.Status == 'D' && (from[f.Path] || name != f.Path):
			// It was renamed here, or it was deleted once and exists today under another name.
		case r.Excluded(name):
		case f.Status == 'D':
			e.Gone = append(e.Gone, f.Path)
		default:
			e.Paths = append(e.Paths, name)
		}
	}
	e.Paths, e.Gone = limitPaths(e.Paths), limitPaths(e.Gone)
	return e
}

// limitPaths sorts and keeps event.MaxPaths.
func limitPaths(paths []event.Path) []event.Path {
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return paths[:min(len(paths), event.MaxPaths)]
}

// renameEvent makes the event of a commit's renames. ok is false if only excluded files were renamed.
func (r *Repo) renameEvent(id string, c *Commit, renames []rename) (e event.Event, ok bool) {
	e = event.Event{ID: id, Time: time.Unix(c.Time, 0).UTC(), Kind: event.KindRename, Agent: "git", OK: true}
	for _, m := range renames {
		if !r.Excluded(m.to) && len(e.Paths) < event.MaxPaths {
			e.From = append(e.From, m.from)
			e.Paths = append(e.Paths, m.to)
		}
	}
	return e, len(e.Paths) > 0
}
