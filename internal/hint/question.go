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
	o := prefetch.Occasion{Query: q, Asked: call.Query, Recent: recent,
		Change: uncommitted(s, call.Events), Whole: begins || slices.ContainsFunc(recent, prefetch.LooksAtChange)}
	for _, x := range prefetch.Questions(o) {
		ask(question{Question: x, recent: recent, late: late})
	}
	return out
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
