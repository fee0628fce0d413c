package prefetch

import (
	"cmp"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session/live"
)

// staleSlack is how much later than the last access a change must be: the hook tells of a write a moment
// after the file has it.
const staleSlack = 2 * time.Second

// maxStale bounds the files looked at, newest access first.
const maxStale = 20

// FindStale returns the files that changed on disk after the session last opened them: by a formatter, another
// agent, a branch switch, a person. opened is the session's last access to each; modified says when a file
// changed last, false if it is gone. It asks for at most 20 files.
func FindStale(opened map[event.Path]live.Open, modified func(event.Path) (time.Time, bool),
	at time.Time) []event.Suggestion {
	var out []event.Suggestion
	for _, f := range newestFirst(opened) {
		t, ok := modified(f)
		if !ok || t.Before(opened[f].At.Add(staleSlack)) || t.After(at.Add(time.Minute)) {
			continue
		}
		if t.After(at) {
			t = at // the clock of the disk is a little ahead
		}
		out = append(out, event.Suggestion{File: f, Score: 1, Reasons: []event.Reason{{Signal: string(Stale), Value: 1,
			Weight: 1,
			Text:   "changed " + span(at.Sub(t)) + " ago, last read " + span(at.Sub(opened[f].At)) + " ago"}}})
	}
	return out
}

// newestFirst are the files opened last, at most 20.
func newestFirst(opened map[event.Path]live.Open) []event.Path {
	files := make([]event.Path, 0, len(opened))
	for f := range opened {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b event.Path) int {
		return cmp.Or(opened[b].At.Compare(opened[a].At), cmp.Compare(a, b))
	})
	return files[:min(len(files), maxStale)]
}
