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

// question is a kind of hint that is asked at a call.
type question struct {
	prefetch.Question
	agent  string
	recent []event.Event // that were not asked about and that a hint can be about, with their texts
	late   []event.Event // those among which are the ones to ask about again if the answer comes too late
	start  string        // Start: how the session began, startup, resume, compact, …
	asked  reload.Ask    // Reload: what began the turn
}

// questions lists the questions for a call, the most useful first. If the agent takes no text at a
// start or a prompt, the questions about it are asked at the first event at which it does.
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
	o := prefetch.Occasion{Query: q, Asked: call.Query, Kind: prefetch.HintKind(call.Kind), Recent: recent,
		Change: uncommitted(s, call.Events), Whole: begins || slices.ContainsFunc(recent, prefetch.LooksAtChange)}
	for _, x := range prefetch.Questions(o) {
		ask(question{Question: x, recent: recent, late: late})
	}
	return out
}

// texts gives prompts and failed searches that come from the log their texts.
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

// begun returns the request that began the turn: the one that the call reports, or a prompt that
// was not answered yet. ok is false for calls within a turn.
func begun(call hooks.Call, recent []event.Event) (asked reload.Ask, ok bool) {
	if asked, ok = reload.Began(call.Events); ok {
		return asked, true
	}
	for _, e := range slices.Backward(recent) {
		if e.Kind() == event.KindPrompt {
			return reload.AskOf(e)
		}
	}
	return reload.Ask{}, false
}

// uncommitted are the files that a session has edited and that are not committed since, with the
// edits of own that were not applied yet; the newest last.
func uncommitted(s *session.Session, own []event.Event) []event.Path {
	change := s.Uncommitted
	for _, e := range own {
		if e.Edits() && e.Call().OK() {
			change = session.WithEdit(change, e.Paths())
		}
	}
	return change
}
