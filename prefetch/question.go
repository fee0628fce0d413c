package prefetch

import (
	"regexp"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Occasion is what is known at a hook that can carry hints.
type Occasion struct {
	Query  event.Query   // session, subagent and time
	Asked  *event.Query  // the question of the hook itself; nil if it has none
	Kind   Kind          // its kind
	Recent []event.Event // edits, failed calls and looks at the change of the session since the last hint, oldest first
	Change []event.Path  // files that the session has edited and nobody has committed since, the newest last
	Whole  bool          // the change seems complete: a prompt follows it, or a call looks at it (see LooksAtChange)
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
	change := o.Query
	change.Task, change.Files = event.TaskChange, o.Change
	if o.Whole && !o.AtStop && len(o.Change) > 0 {
		out = append(out, Question{Kind: Partner, Query: change})
	}
	if edited := lastEdited(o.Recent); edited != "" {
		pair := change
		pair.Current, pair.Files = edited, []event.Path{edited}
		out = append(out, Question{Kind: Pair, Query: pair})
	}
	if o.Asked != nil {
		asked := *o.Asked
		asked.At = o.Query.At
		out = append(out, Question{Kind: o.Kind, Query: asked})
	}
	return out
}

// lookCommand matches a command line of git that looks at a change, stages or commits it.
var lookCommand = regexp.MustCompile(`(^|[^\w-])git( +-[-\w]+(=\S*)?| +-C +\S+)* +(add|commit|status|diff)\b`)

// LooksAtChange reports whether an event is a command that one runs on a change that seems complete: git add, commit, status or diff.
// A hint about what the change lacks comes then, and not at the first edit, when most of the change is still to come.
func LooksAtChange(e event.Event) bool {
	return e.Kind == event.KindRun && lookCommand.MatchString(e.Text)
}

func lastEdited(events []event.Event) event.Path {
	for _, e := range slices.Backward(events) {
		if e.Kind.Edit() && len(e.Paths) > 0 {
			return e.Paths[0]
		}
	}
	return ""
}
