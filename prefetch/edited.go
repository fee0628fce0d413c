package prefetch

import (
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session/live"
)

// FindEdited returns the files that an agent on another machine, or in another clone, changed after the session last
// opened them here: what is on this disk is not the newest any more. edited says when, zero for never. Files that
// known has already are left out.
func FindEdited(opened map[event.Path]live.Open, edited func(event.Path) time.Time, known []event.Suggestion,
	at time.Time) []event.Suggestion {
	var out []event.Suggestion
	for _, f := range newestFirst(opened) {
		t := edited(f)
		if t.IsZero() || t.Before(opened[f].At.Add(staleSlack)) || t.After(at.Add(time.Minute)) ||
			slices.ContainsFunc(known, func(s event.Suggestion) bool { return s.File == f }) {
			continue
		}
		out = append(out, event.Suggestion{File: f, Score: 1, Reasons: []event.Reason{{Signal: string(Stale), Value: 1,
			Weight: 1,
			Text: "another agent changed it " + span(max(0, at.Sub(t))) + " ago in another clone, last read here " +
				span(at.Sub(opened[f].At)) + " ago"}}})
	}
	return out
}
