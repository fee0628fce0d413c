package prefetch

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Occasion is what is known at a hook that can carry hints.
type Occasion struct {
	Query  event.Query   // session, subagent and time
	Asked  *event.Query  // the question of the hook itself; nil if it has none
	Kind   Kind          // its kind
	Recent []event.Event // edits and failed calls of the session since the last hint, oldest first
	Edited []event.Path  // files that the session has edited since its last prompt, the newest last
	AtStop bool          // what a change lacks is shown when the agent is about to stop, not now
}

// Question is a kind of hint that is asked at an occasion.
type Question struct {
	Kind  Kind
	Query event.Query
	Facts bool // it is answered with facts that the caller finds (Facts), not by ranking (Suggest)
}

// Questions lists the kinds that are asked at an occasion, the most useful first.
func Questions(o Occasion) []Question {
	out := []Question{{Kind: Rescue, Query: o.Query, Facts: true}, {Kind: Stale, Query: o.Query, Facts: true}}
	if edited := lastEdited(o.Recent); edited != "" {
		change := o.Query
		change.Task, change.Files = event.TaskChange, o.Edited
		if !slices.Contains(change.Files, edited) { // not learned yet
			change.Files = append(slices.Clip(change.Files), edited)
		}
		pair := change
		pair.Current, pair.Files = edited, []event.Path{edited}
		if !o.AtStop {
			out = append(out, Question{Kind: Partner, Query: change})
		}
		out = append(out, Question{Kind: Pair, Query: pair})
	}
	if o.Asked != nil {
		asked := *o.Asked
		asked.At = o.Query.At
		out = append(out, Question{Kind: o.Kind, Query: asked})
	}
	return out
}

func lastEdited(events []event.Event) event.Path {
	for _, e := range slices.Backward(events) {
		if (e.Kind == event.KindEdit || e.Kind == event.KindWrite) && len(e.Paths) > 0 {
			return e.Paths[0]
		}
	}
	return ""
}
