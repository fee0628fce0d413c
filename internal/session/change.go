package session

import (
	"maps"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// edits adds the files of an event to the current change; after a pause it begins a new one.
func (f *update) edits(e event.Event) {
	if latest := f.lastEdit(); !latest.IsZero() && e.Time.Sub(latest) > editPause {
		f.endChange(&f.delta)
	}
	if e.Edits() && e.Call().OK() {
		f.Uncommitted = WithEdit(f.Uncommitted, e.Paths())
	}
	for _, p := range e.Paths() {
		last := f.Edits[p]
		if e.Time.After(last.At) {
			last.At = e.Time
		}
		last.Hinted = f.delta.Hinted
		f.Edits[p] = last
	}
}

// WithEdit adds edited files to a change, the newest last.
func WithEdit(change, edited []event.Path) []event.Path {
	has := func(f event.Path) bool { return slices.Contains(edited, f) }
	change = append(slices.DeleteFunc(slices.Clone(change), has), edited...)
	return change[max(0, len(change)-maxUncommitted):]
}

// committed applies a commit: it resolves the changes and predictions that the commit contains.
func (l *Sessions) committed(e event.Event) (out []Resolved) {
	for _, id := range slices.Sorted(maps.Keys(l.open)) {
		l.touch(id)
		s := l.sessions[id]
		s.Hints.committed(e)
		out = append(out, s.Hints.resolve(id, false)...)
		has := func(f event.Path) bool { return slices.Contains(e.Paths(), f) }
		s.Uncommitted = remaining(slices.Clone(s.Uncommitted), has)
		l.follow(id)
	}
	return out
}

// lastEdit returns the time of the newest edit in the change, zero if none exists.
func (s *Session) lastEdit() (latest time.Time) {
	for _, x := range s.Edits {
		if x.At.After(latest) {
			latest = x.At
		}
	}
	return latest
}

// endChange ends the current change: later actions do not tell what it lacks.
func (s *Session) endChange(d *Delta) {
	if len(s.Edits) == 0 {
		return
	}
	c := Change{At: s.lastEdit(), Files: make([]Changed, 0, len(s.Edits))}
	for _, p := range slices.Sorted(maps.Keys(s.Edits)) {
		c.Files = append(c.Files, Changed{p, s.Edits[p].Hinted})
	}
	d.Changes = append(d.Changes, c)
	s.Edits = map[event.Path]LastEdit{}
}

// noteEdit remembers which files a tool has just edited, for a minute by the time of the events.
func (l *Sessions) noteEdit(e event.Event) {
	newest := e.Time
	for _, at := range l.edited {
		if at.After(newest) {
			newest = at
		}
	}
	maps.DeleteFunc(l.edited, func(_ event.Path, at time.Time) bool { return newest.Sub(at) > toolEdits })
	for _, p := range e.Paths() {
		if e.Time.After(l.edited[p]) {
			l.edited[p] = e.Time
		}
	}
}

// untouched returns the saved files that no tool has just edited.
func (l *Sessions) untouched(e event.Event) (out []event.Path) {
	for _, p := range e.Paths() {
		at, edited := l.edited[p]
		if d := e.Time.Sub(at); !edited || d > saveAfter || d < -saveBefore {
			out = append(out, p)
		}
	}
	return out
}
