package hint

import (
	"context"

	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/prefetch"
)

// said logs what is said and what was decided against, and counts it. If the agent no longer waits,
// nothing is said: the decision is cancelled, and the question is asked again at the next call.
func (h *Hints) said(ctx context.Context, w *checkout.Checkout, q question, g gathered, d prefetch.Decision,
	s words) words {
	if ctx.Err() != nil {
		w.Prefetch.Drop(d)
		h.silent(q, prefetch.WhyLate)
		return words{}
	}
	if q.Kind == prefetch.Reload {
		h.o.Sequences.NoteOffer(q.Query.Session, g.offered)
	}
	log, why := w.Prefetch.Said(d, s.text, s.named)
	h.o.Events.Add(log...)
	h.o.Count.Decision(string(q.Kind), string(why))
	return s
}
