package eval

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Recorded makes a source's sessions of events that hooks or transcripts made: those of a daemon's log and those of
// transcripts may tell of the same, and equal IDs are the same happening. The order is that of time.
func (s *Source) Recorded(all []event.Event) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b event.Event) int { return a.Time.Compare(b.Time) })
	seen := map[string]bool{}
	at := map[string]int{}
	for _, e := range all {
		if seen[e.ID] {
			s.Repeated++
			continue
		}
		seen[e.ID] = true
		switch e.Kind() {
		case event.KindSave, event.KindDelete, event.KindCheckout:
			s.Others = append(s.Others, e)
			continue
		case event.KindPrompt, event.KindRead, event.KindEdit, event.KindWrite, event.KindSearch, event.KindRun,
			event.KindFailed, event.KindStart, event.KindEnd:
		default:
			continue // history has the commits; what was predicted is predicted again
		}
		if e.Session == "" {
			s.Others = append(s.Others, e)
			continue
		}
		if c, ok := e.Body.(event.Call); ok && c.Batch == "" {
			c.Batch = callOf(e.ID)
			e.Body = c
		}
		i, known := at[e.Session]
		if !known {
			i = len(s.Sessions)
			at[e.Session] = i
			s.Sessions = append(s.Sessions, Session{ID: e.Session})
		}
		s.Sessions[i].Events = append(s.Sessions[i].Events, e)
	}
}

// callOf is what the events of one call share of their IDs.
func callOf(id string) string {
	call, _, _ := event.CallOf(id)
	return call
}
