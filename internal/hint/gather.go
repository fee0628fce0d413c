package hint

import (
	"context"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/reload"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/prefetch"
)

// gathered has what may be said in answer to a question.
type gathered struct {
	candidates *prefetch.Candidates
	before     words // printed above the files, and even if none exist
	more       int   // Partner: number of further missing files, beyond those that aoa check names
	// Reload: the recorded sequences; the files of the first one are the candidates.
	offered []reload.Match
}

// gather collects what may be said in at most space bytes, or returns the reason to say nothing.
// Soon after a start of the daemon, kinds that rank wait for half of the remaining time until all
// files have been read, because the same question would get another answer a moment later.
func (h *Hints) gather(ctx context.Context, w *checkout.Checkout, q *question,
	space int) (g gathered, why prefetch.Why) {
	switch q.Kind {
	case prefetch.Start:
		return h.workBefore(ctx, w, *q, space)
	case prefetch.Reload:
		return h.sequences(ctx, w, q)
	case prefetch.Rescue:
		g.candidates = prefetch.Found(h.misnamed(ctx, w, q.recent))
		return g, ""
	case prefetch.Stale:
		g.candidates = prefetch.Found(h.stale(w, q.Query, q.recent))
		return g, ""
	case prefetch.Search:
		if found := h.searched(w, q.recent); len(found) > 0 {
			g.candidates = prefetch.Found(found)
			return g, ""
		}
	}
	if end, _ := ctx.Deadline(); !w.Reader.Wait(ctx, time.Until(end)/2) {
		return g, prefetch.WhyReading
	}
	var err error
	if q.Kind == prefetch.Partner {
		g, why, err = h.change(ctx, w, *q, space)
	} else {
		q.Query.Branch = w.KnownBranch()
		g.candidates, err = w.Prefetch.Look(ctx, q.Question)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		why = prefetch.WhyLate
	case err != nil:
		h.o.Log.Warn("no hint", "kind", string(q.Kind), "err", err)
		why = prefetch.WhyNothing
	}
	return g, why
}

// early reports whether an answer finds nothing in a change while the diffs of earlier commits are
// still being read, which takes the first seconds after a start.
func early(ans change.Answer) bool { return ans.Reading && ans.Findings() == 0 }

// change asks what the session's change breaks and lacks, as aoa check does. It leaves out broken
// files about which the conversation already knows.
func (h *Hints) change(ctx context.Context, w *checkout.Checkout, q question,
	space int) (g gathered, why prefetch.Why, err error) {
	ans, err := w.Check(ctx, change.Request{Files: q.Query.Files, Hint: true})
	switch {
	case err != nil || ans.Silent != "":
		return g, prefetch.WhyNothing, err
	case early(ans):
		return g, prefetch.WhyReading, nil
	}
	s := h.o.Sessions.Get(q.Query.Session, q.Query.At)
	g.candidates, g.more = ans.Candidates(), ans.MoreMissing
	g.before.text, g.before.named = brokenText(slices.DeleteFunc(ans.Broken, func(b index.Broken) bool {
		said := session.Mark{By: q.Query.Subagent, Kind: string(prefetch.Partner), Status: string(prefetch.Shown),
			File: b.File}
		return slices.Contains(s.Hints.Marks, said)
	}), ans.MoreBroken, space)
	return g, "", nil
}

// sequences finds the recorded sequences that fit the beginning of the turn and were not offered to
// the session. The prediction is that the turn needs a file of the best one. A sequence without
// files predicts nothing and is offered as it is.
func (h *Hints) sequences(ctx context.Context, w *checkout.Checkout, q *question) (g gathered, why prefetch.Why) {
	found, err := h.o.Sequences.Find(ctx, w.Sequences(), q.asked)
	if err != nil {
		h.o.Log.Warn("recorded sequences cannot be read", "err", err)
	}
	if found = h.o.Sequences.NotOffered(q.Query.Session, found); err != nil || len(found) == 0 {
		return g, prefetch.WhyNothing
	}
	var files []event.Suggestion
	for _, f := range found[0].Files[:min(len(found[0].Files), prefetch.MaxFiles)] {
		files = append(files, event.Suggestion{File: f.Path, Score: found[0].Similarity})
	}
	q.Topic, g.offered, g.candidates = found[0].ID, found, prefetch.Found(files)
	return g, ""
}
