package prefetch

import (
	"context"
	"fmt"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Facts decides on facts: files that somebody found by looking, not by ranking (rescue, stale, working set). A
// fact is true whatever the scores say, so it has neither threshold nor rate limit. It is shown once per session
// and kind, held out like any other to measure what showing is worth, and costs tokens of the same allowance.
// found is in the order of importance. One round trip.
func (p *Prefetcher) Facts(ctx context.Context, q event.Query, kind Kind, found []event.Suggestion) (Decision, error) {
	tr, ok := traits[kind]
	switch {
	case !ok || !tr.fact || tr.text:
		return Decision{}, fmt.Errorf("show a fact of kind %q: this kind is made by ranking", kind)
	case !p.o.on(kind):
		return Decision{Why: "off"}, nil
	case len(found) == 0:
		return Decision{Why: "nothing"}, nil
	}
	s, err := p.state(ctx, q.Session, q.At)
	if err != nil {
		return Decision{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if q.Session != "" && s.Tokens >= p.o.tokens() {
		return Decision{Why: "spent"}, nil
	}
	retired := recordOf(s.facts, kind).Retired
	d := Decision{Why: "nothing"}
	sets := map[Arm][]event.Suggestion{}
	for _, f := range found {
		if s.predicted(kind, f.File) || s.shadowed(kind, f.File) || inHand(p.pending[q.Session], kind, f.File) || len(sets[Shown])+len(sets[Withheld])+len(sets[Shadow]) >= tr.files {
			continue
		}
		arm := Shown
		switch {
		case retired:
			arm = Shadow
		case q.Session != "" && p.heldBack(s, q.Session, f.File):
			arm = Withheld
		}
		sets[arm] = append(sets[arm], f)
	}
	for _, arm := range []Arm{Shown, Withheld, Shadow} {
		if len(sets[arm]) == 0 {
			continue
		}
		switch {
		case arm == Shadow:
			d.Why = "retired"
		case d.Why == "nothing":
			d.Why = string(arm)
		}
		if q.Session == "" {
			continue
		}
		e := fact(q, kind, arm, sets[arm])
		d.Log = append(d.Log, e)
		p.hold(q.Session, pending{id: e.ID, at: q.At, kind: kind, arm: arm, files: e.Paths})
	}
	d.Shown = sets[Shown]
	return d, nil
}

// heldBack reports whether a fact about a file is withheld from a session: as it was before, under whatever kind, or as it is drawn now.
func (p *Prefetcher) heldBack(s state, session string, f event.Path) bool {
	if _, shown := s.hinted[f]; shown {
		return false
	}
	return s.drawn(f) || heldOut(p.o.Seed, session, f, p.o.holdout())
}

// inHand reports whether a decision on its way tells of the file under that very kind: a fact may repeat a hint.
func inHand(waiting []pending, kind Kind, f event.Path) bool {
	return slices.ContainsFunc(waiting, func(d pending) bool { return d.kind == kind && slices.Contains(d.files, f) })
}

func fact(q event.Query, kind Kind, arm Arm, files []event.Suggestion) event.Event {
	e := suggestEvent(q, kind, arm)
	for _, f := range files {
		e.Paths, e.Scores = append(e.Paths, f.File), append(e.Scores, f.Score)
	}
	e.ID = suggestionID(q.Session, kind, arm, q.At, e.Paths)
	return e
}

// Tokens estimates what a text costs (see index.Tokens).
func Tokens(text string) int { return index.Tokens(text) }
