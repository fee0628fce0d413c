package hint

import (
	"context"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/reload"
	"github.com/aoa-dev/aoa/prefetch"
)

// offer renders the recorded sequences that fit what began a turn. What is predicted is that the turn needs
// a file of the best sequence; one without files predicts nothing, and is offered as it is.
func (h *Hints) offer(ctx context.Context, w *checkout.Checkout, call hooks.Call, asked reload.Ask,
	recent []event.Event) hooks.Block {
	if !h.o.Settings.Get().Shows(string(prefetch.Reload)) {
		return hooks.Block{}
	}
	at := w.Sequences()
	found, err := h.o.Sequences.Find(ctx, at, asked)
	if err != nil {
		h.o.Log.Warn("no recorded sequences", "err", err)
		return hooks.Block{}
	}
	if found = h.o.Sequences.NotOffered(call.Session, found); len(found) == 0 {
		return hooks.Block{}
	}
	block := hooks.Offers(call.Agent, offers(found))
	files := sequenceFiles(found[0])
	q := question{Question: prefetch.Question{Kind: prefetch.Reload, Topic: found[0].ID,
		Query: event.Query{Session: call.Session, Subagent: call.Subagent, Prompt: asked.Text, At: h.o.Now()},
		Say:   func([]event.Suggestion) (string, []event.Path) { return block.String(), nil }},
		facts: func(context.Context) []event.Suggestion { return files }, recent: recent}
	if len(files) == 0 {
		q.Lead = block.String()
	}
	text := h.decide(ctx, w, q, hooks.MaxHint)
	if ctx.Err() != nil {
		return hooks.Block{} // it was not offered
	}
	h.o.Sequences.NoteOffer(call.Session, found)
	if text == "" {
		return hooks.Block{}
	}
	return block
}

// sequenceFiles are the first files of a sequence, as what its offer predicts.
func sequenceFiles(m reload.Match) (out []event.Suggestion) {
	for _, f := range m.Files[:min(len(m.Files), prefetch.MaxFiles)] {
		out = append(out, event.Suggestion{File: f.Path, Score: m.Similarity})
	}
	return out
}

func offers(found []reload.Match) (out []hooks.Offer) {
	for _, m := range found {
		out = append(out, hooks.Offer{ID: m.ID, Summary: m.Summary, Match: int(100*m.Similarity + 0.5),
			Uses: m.Uses, Actions: m.Tools()})
	}
	return out
}
