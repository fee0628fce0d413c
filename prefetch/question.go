package prefetch

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session"
)

// Question asks for hints of one kind in a certain situation.
type Question struct {
	Kind  HintKind
	Query event.Query
	// Topic identifies a text that names no files (Reload). Its hash decides whether the text is
	// withheld.
	Topic string
}

// Occasion describes the moment at which a hook can carry hints.
type Occasion struct {
	Query event.Query  // session, subagent and time
	Asked *event.Query // the question that the hook itself asks; nil if none exists
	// Recent has the prompts that could not be answered, edits, failed calls and looks at the
	// change since the last hint, oldest first.
	Recent []event.Event
	// The files that the session has edited and no commit has included since, the newest last.
	Change []event.Path
	// The change seems complete: a prompt follows it, or a call looks at it (see LooksAtChange).
	Whole bool
}

// Questions returns the questions that are asked at an occasion, the most useful first.
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
	asked := o.Asked
	for _, e := range slices.Backward(o.Recent) {
		if e.Kind() == event.KindPrompt && (asked == nil || asked.Task != event.TaskPrompt) {
			asked = event.PromptQuery(e)
		}
	}
	if asked != nil {
		q := Question{Kind: Next, Query: *asked}
		if q.Query.At = o.Query.At; asked.Task == event.TaskPrompt {
			q.Kind = Prompt
		}
		out = append(out, q)
	}
	return out
}

// LooksAtChange reports whether an event is a command that people run when a change seems complete:
// git add, commit, status or diff, or a check that passed. Hints about what the change lacks come
// then, not at the first edit, when most of the change is still to come. After a check that failed,
// or whose result is not known, more edits follow.
func LooksAtChange(e event.Event) bool {
	c := e.Call()
	return e.Kind() == event.KindRun && (c.Looks || c.Checks && c.Exit == "0")
}
