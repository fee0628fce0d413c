package watcher

import (
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// commitEvent makes the event of a change: its files under the names that name gives them, without excluded
// ones. The old side of a rename is neither among the paths nor gone: it lives on under its new name.
func (r *Repo) commitEvent(c *change, ms []move, name func(event.Path) event.Path) event.Event {
	from := make(map[event.Path]bool, len(ms))
	for _, m := range ms {
		from[m.from] = true
	}
	e := event.Event{ID: "commit:" + c.sha, Time: time.Unix(c.time, 0).UTC(), Author: time.Unix(c.author, 0).UTC(),
		Kind: event.KindCommit, Agent: "git", Text: redact.Text(c.subject), Terms: redact.Terms(c.subject, event.MaxTerms), OK: true}
	e.Paths = make([]event.Path, 0, min(len(c.entries), event.MaxPaths))
	for i := range c.entries {
		en := &c.entries[i]
		switch today := name(en.path); {
		case en.status == 'D' && (from[en.path] || today != en.path):
			// Renamed here, or deleted once and living today under another name.
		case r.Excluded(today):
		case en.status == 'D':
			e.Gone = append(e.Gone, en.path)
		default:
			e.Paths = append(e.Paths, today)
		}
	}
	slices.Sort(e.Paths)
	slices.Sort(e.Gone)
	e.Paths, e.Gone = slices.Compact(e.Paths), slices.Compact(e.Gone)
	if len(e.Paths) > event.MaxPaths {
		e.Paths = slices.Clip(e.Paths[:event.MaxPaths])
	}
	if len(e.Gone) > event.MaxPaths {
		e.Gone = slices.Clip(e.Gone[:event.MaxPaths])
	}
	return e
}

// renameEvent tells that files got new names in a commit. Excluded files have nothing to carry over.
func (r *Repo) renameEvent(id string, c *change, ms []move) (event.Event, bool) {
	e := event.Event{ID: id, Time: time.Unix(c.time, 0).UTC(), Kind: event.KindRename, Agent: "git", OK: true}
	for _, m := range ms {
		if !r.Excluded(m.to) && len(e.Paths) < event.MaxPaths {
			e.From = append(e.From, m.from)
			e.Paths = append(e.Paths, m.to)
		}
	}
	return e, len(e.Paths) > 0
}
