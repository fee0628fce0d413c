package prefetch

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
)

// Question is a kind of hint that is asked at an occasion.
type Question struct {
	Kind  HintKind
	Query event.Query
	// Topic names what a text is about that names no files (Reload). Whether the text is withheld
	// is decided by hashing it.
	Topic string
}

// Occasion has what is known at a hook that can carry hints.
type Occasion struct {
	Query event.Query  // session, subagent and time
	Asked *event.Query // the question of the hook itself; nil if it has none
	Kind  HintKind     // its kind
	// prompts that could not be answered, edits, failed calls and looks at the change since the
	// last hint, oldest first
	Recent []event.Event
	Change []event.Path // files that the session has edited and no commit has included since, the newest last
	Whole  bool         // the change seems complete: a prompt follows it, or a call looks at it (see LooksAtChange)
}

// Questions lists the kinds that are asked at an occasion, the most useful first.
func Questions(o Occasion) []Question {
	out := []Question{{Kind: Rescue, Query: o.Query}}
	if slices.ContainsFunc(o.Recent, session.FailedSearch) {
		out = append(out, Question{Kind: Search, Query: o.Query})
	}
	out = append(out, Question{Kind: Stale, Query: o.Query})
	change := o.Query
	change.Task, change.Files = event.TaskChange, o.Change
	if o.Whole && len(o.Change) > 0 {
		out = append(out, Question{Kind: Partner, Query: change})
	}
	asked, kind := o.Asked, o.Kind
	if e, ok := last(o.Recent, func(e event.Event) bool { return e.Kind() == event.KindPrompt }); ok && kind != Prompt {
		asked, kind = event.PromptQuery(e), Prompt
	}
	if asked != nil {
		q := *asked
		q.At = o.Query.At
		out = append(out, Question{Kind: kind, Query: q})
	}
	return out
}

// last is the newest event of a sort.
func last(events []event.Event, sort func(event.Event) bool) (event.Event, bool) {
	for _, e := range slices.Backward(events) {
		if sort(e) {
			return e, true
		}
	}
	return event.Event{}, false
}

// LooksAtChange reports whether an event is a command that one runs on a change that seems
// complete: git add, commit, status or diff, or a check that passed. A hint about what the change
// lacks comes then, and not at the first edit, when most of the change is still to come. After a
// check that failed, or of which that is not known, more edits follow.
func LooksAtChange(e event.Event) bool {
	c := e.Call()
	return e.Kind() == event.KindRun && (c.Looks || c.Checks && c.Exit == "0")
}
