package hint

import (
	"context"

	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/prefetch"
)

// ask answers a question in at most space bytes: it gathers what may be said, decides what is worth
// saying, puts that into words, and logs what is said and what was decided against. If something is
// not known in time, or the agent no longer waits, nothing is said, and the question is asked again
// with the next call.
func (h *Hints) ask(ctx context.Context, w *checkout.Checkout, q question, space int) words {
	g, why := h.gather(ctx, w, &q, space)
	if why != "" {
		h.silent(q, why)
		return words{}
	}
	d := w.Prefetch.Decide(q.Question, g.candidates)
	s := g.words(ctx, w, q, d, space)
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

// silent counts why nothing is said. If time was the reason, it lets the next call ask again.
func (h *Hints) silent(q question, why prefetch.Why) {
	if why == prefetch.WhyLate || why == prefetch.WhyReading {
		h.answered.again(q)
	}
	h.o.Count.Decision(string(q.Kind), string(why))
}
