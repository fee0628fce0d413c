package hint

import (
	"context"
	"slices"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/reload"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/prefetch"
)

// question asks for hints of one kind at a call.
type question struct {
	prefetch.Question
	agent string
	// Events that a hint can be about and that were not asked about, with their texts.
	recent []event.Event
	// Events among which are those to ask about again if the answer comes too late.
	late  []event.Event
	start string     // Start: how the session began, as startup, resume, compact, …
	asked reload.Ask // Reload: the request that began the turn
}

// questions returns the questions for a call, the most useful first. If the agent takes no text at
// a start or a prompt, the questions about it are asked at the first event where it does.
func (h *Hints) questions(ctx context.Context, call hooks.Call) (out []question) {
	q := event.Query{Session: call.Session, Subagent: call.Subagent, At: h.o.Now()}
	ask := func(asked question) {
		if h.o.Settings.Get().Shows(string(asked.Kind)) {
			asked.agent = call.Agent
			out = append(out, asked)
		}
	}
	if how, starts := call.Start(); starts {
		ask(question{Question: prefetch.Question{Kind: prefetch.Start, Query: q}, start: how, late: call.Events})
		return out
	}
	s := h.o.Sessions.Get(call.Session, q.At)
	recent := h.texts(ctx, h.answered.take(s, call, q.At))
	late := append(slices.Clip(recent), call.Events...)
	for _, e := range recent {
		if b, starts := e.Body.(event.Start); starts {
			ask(question{Question: prefetch.Question{Kind: prefetch.Start, Query: q}, start: b.Source, late: late})
		}
	}
	asked, begins := begun(call, recent)
	if begins && call.Subagent == "" {
		at := q
		at.Prompt = asked.Text
		ask(question{Question: prefetch.Question{Kind: prefetch.Reload, Query: at}, asked: asked, late: late})
	}
	var change []event.Path // nil until the change seems complete: a prompt follows it, or a call looks at it
	if begins || slices.ContainsFunc(recent, looksAtChange) {
		change = uncommitted(s, call.Events)
	}
	for _, x := range questionsOf(q, call.Query, recent, change) {
		ask(question{Question: x, recent: recent, late: late})
	}
	return out
}

// questionsOf returns the questions at a call in the middle of a session. q has the session and the
// time, asked is the question that the hook itself asks, nil if none exists, recent has the events
// since the last hint, and change the files of a change that seems complete.
func questionsOf(q event.Query, asked *event.Query, recent []event.Event, change []event.Path) []prefetch.Question {
	out := []prefetch.Question{{Kind: prefetch.Rescue, Query: q}}
	if slices.ContainsFunc(recent, session.FailedSearch) {
		out = append(out, prefetch.Question{Kind: prefetch.Search, Query: q})
	}
	out = append(out, prefetch.Question{Kind: prefetch.Stale, Query: q})
	if len(change) > 0 {
		about := q
		about.Task, about.Files = event.TaskChange, change
		out = append(out, prefetch.Question{Kind: prefetch.Partner, Query: about})
	}
	for _, e := range slices.Backward(recent) {
		if e.Kind() == event.KindPrompt && (asked == nil || asked.Task != event.TaskPrompt) {
			asked = event.PromptQuery(e)
		}
	}
	if asked != nil {
		next := prefetch.Question{Kind: prefetch.Next, Query: *asked}
		if next.Query.At = q.At; asked.Task == event.TaskPrompt {
			next.Kind = prefetch.Prompt
		}
		out = append(out, next)
	}
	return out
}

// looksAtChange reports whether an event is a command that people run when a change seems complete:
// git add, commit, status or diff, or a check that passed. Hints about what the change lacks come
// then, not at the first edit, when most of the change is still to come. After a check that failed,
// or whose result is not known, more edits follow.
func looksAtChange(e event.Event) bool {
	c := e.Call()
	return e.Kind() == event.KindRun && (c.Looks || c.Checks && c.Exit == "0")
}

// texts adds the texts of prompts and failed searches, which events from the log lack.
func (h *Hints) texts(ctx context.Context, events []event.Event) []event.Event {
	for i := range events {
		e := &events[i]
		if e.Text() != "" || e.Kind() != event.KindPrompt && !session.FailedSearch(*e) {
			continue
		}
		logged, err := h.o.DB.Text(ctx, e.ID)
		if err != nil {
			h.o.Log.Warn("the text of a prompt or a search cannot be read", "err", err)
		}
		e.ChangeText(func(text *string, _ *[]string) { *text = logged })
	}
	return events
}

// begun returns the request that began the turn: the one in the call, or a prompt that was not
// answered yet. ok is false for calls in the middle of a turn.
func begun(call hooks.Call, recent []event.Event) (asked reload.Ask, ok bool) {
	for _, e := range call.Events {
		if asked, ok = reload.AskOf(e); ok {
			return asked, true
		}
	}
	for _, e := range slices.Backward(recent) {
		if e.Kind() == event.KindPrompt {
			return reload.AskOf(e)
		}
	}
	return reload.Ask{}, false
}

// uncommitted returns the files that a session has edited and that were not committed since, the
// newest last. own are the events of this call, which the session may not contain yet.
func uncommitted(s *session.Session, own []event.Event) []event.Path {
	change := s.Uncommitted
	for _, e := range own {
		if e.Edits() && e.Call().OK() {
			change = session.WithEdit(change, e.Paths())
		}
	}
	return change
}
