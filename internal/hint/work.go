package hint

import (
	"fmt"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// findWork returns the files of recent work: those edited, the newest first, then those read.
// events are opens of the session that is resumed, or of the sessions before it. has tells whether
// a file still exists.
func findWork(events []event.Event, has func(event.Path) bool, at time.Time) (files []event.Suggestion) {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b event.Event) int { return b.Time.Compare(a.Time) })
	seen := map[event.Path]bool{}
	for _, word := range []string{"edited", "read"} {
		for _, e := range events {
			if !e.Opens() || (e.Kind() == event.KindRead) != (word == "read") {
				continue
			}
			for _, f := range e.Paths() {
				if !seen[f] && has(f) {
					seen[f] = true
					files = append(files, event.Suggestion{File: f, Score: 1, Reasons: []event.Reason{{Signal: string(prefetch.Start),
						Value: 1, Weight: 1, Text: word + " " + span(at.Sub(e.Time)) + " ago"}}})
				}
			}
		}
	}
	return files
}

// span formats a duration in its largest unit: "3 min". A negative duration is "0 s".
func span(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	case d >= time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d >= time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d s", max(0, int(d.Seconds())))
}
