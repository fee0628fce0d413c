package prefetch

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Decision is what came of a question: what to show, and what to log whether shown or not.
type Decision struct {
	Shown []event.Suggestion // at most MaxFiles, best first; empty: say nothing
	Log   []event.Event      // one per arm: the caller appends them to the log, whatever becomes of the text
	Theta float64            // the threshold that was in force, 0 if none was asked
	Why   string             // one word for the log and for people: shown, off, nothing, below, idle, soon, spent, retired, withheld, room
}

// Suggest ranks and decides. Shown is what may be said now: at or above the threshold, unseen if it is a hint,
// never the current file, never shown to this session or withheld from it before, not held out, and for hints not within 30 s of
// the last one. What reaches Floor and is not shown is logged as shadow or withheld, once per kind and
// session. A query without a session logs nothing, for nothing could settle it. One round trip beside those of
// the ranking.
func (p *Prefetcher) Suggest(ctx context.Context, q event.Query, kind Kind) (Decision, error) {
	tr, ok := traits[kind]
	switch {
	case !ok || tr.fact:
		return Decision{}, fmt.Errorf("decide on a suggestion of kind %q: this kind is not made by ranking", kind)
	case !p.o.on(kind):
		return Decision{Why: "off"}, nil
	}
	s, err := p.state(ctx, q.Session, q.At)
	if err != nil {
		return Decision{}, err
	}
	q.Task = tr.task
	ranking, predictions, err := p.estimate(ctx, q, s.own)
	if err != nil {
		return Decision{}, err
	}
	defer ranking.Done()
	c := choice{kind: kind, trait: tr, theta: theta(p.o.start(tr, s.base), s.drift[kind], s.Offset, s.Ignored)}
	d := Decision{Theta: c.theta}

	// From here to hold no other decision may come between, or both would say the same.
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := p.waiting(q.Session, q.At)
	c.early = soon(tr, q.At, s.session, waiting)
	c.spent = q.Session != "" && s.Tokens >= p.o.tokens()
	c.retired = recordOf(s.facts, kind).Retired
	var sets map[Arm][]int
	if tr.list {
		sets = p.list(q, &c, predictions, s, waiting)
	} else {
		sets = p.split(q, c, predictions, s, waiting)
	}
	for _, arm := range []Arm{Shown, Withheld, Shadow} {
		if len(sets[arm]) > 0 && q.Session != "" {
			e := suggestion(q, kind, arm, predictions, sets[arm])
			if tr.label == LabelChange {
				e.From = changeOf(q)
			}
			d.Log = append(d.Log, e)
			p.hold(q.Session, pending{id: e.ID, at: q.At, kind: kind, arm: arm, files: e.Paths})
		}
	}
	for _, i := range sets[Shown] {
		shown := predictions[i].suggestion(ctx, ranking, q.Explain)
		if tr.list {
			shown.Score = min(shown.Score/c.opens, mostSure)
		}
		d.Shown = append(d.Shown, shown)
	}
	d.Why = reason(sets, c)
	return d, nil
}

// choice is what a decision is made by.
type choice struct {
	kind    Kind
	trait   trait
	theta   float64
	early   bool    // too soon after the last hint
	spent   bool    // the session's tokens are spent
	retired bool    // showing this kind has changed nothing
	idle    bool    // the turn will probably open nothing
	opens   float64 // the probability that it opens files, of a list
}

// split sorts predictions into arms: arm → places among the predictions.
func (p *Prefetcher) split(q event.Query, c choice, predictions []Prediction, s state, waiting []pending) map[Arm][]int {
	sets := map[Arm][]int{}
	for i, f := range predictions {
		if max(f.P, f.Shipped) < Floor {
			continue // what only the repository's own calibration lowers is predicted, or it could never be raised again
		}
		if c.trait.hint && !f.Unseen {
			continue // the agent knows of it
		}
		if f.File == q.Current || s.has(waiting, c.kind, f.File) {
			continue
		}
		if c.kind == Pair && !f.Paired || c.kind == Partner && !f.Companion {
			continue
		}
		arm := Shadow
		if f.P >= c.theta && !c.early && !c.spent && !c.retired && len(sets[Shown])+len(sets[Withheld]) < c.trait.files {
			arm = Shown
			if q.Session != "" && heldOut(p.o.Seed, q.Session, f.File, p.o.holdout()) {
				arm = Withheld
			}
		}
		if arm == Shadow && s.shadowed(c.kind, f.File) {
			continue // the base rate has it
		}
		if len(sets[arm]) < MaxFiles {
			sets[arm] = append(sets[arm], i)
		}
	}
	return sets
}

// soon reports whether a hint would come too soon after the last one.
func soon(tr trait, at time.Time, s session, waiting []pending) bool {
	if !tr.hint {
		return false
	}
	if s.HintAt != 0 && at.Sub(time.UnixMilli(s.HintAt)) < hintEvery {
		return true
	}
	return slices.ContainsFunc(waiting, func(d pending) bool {
		return (traits[d.kind].hint || traits[d.kind].list) && d.arm != Shadow && at.Sub(d.at) < hintEvery
	})
}

// has reports whether a session already has an arm for a file, or was shown it in another text.
func (s state) has(waiting []pending, kind Kind, f event.Path) bool {
	_, hinted := s.hinted[f]
	return hinted || s.drawn(f) || decided(waiting, kind, f)
}

// decided reports whether a decision on its way shows the file or keeps it back, or predicts it under that kind.
func decided(waiting []pending, kind Kind, f event.Path) bool {
	return slices.ContainsFunc(waiting, func(d pending) bool {
		return (d.kind == kind || d.arm != Shadow) && slices.Contains(d.files, f)
	})
}

// suggestEvent is the event of one arm, before its files and the ID that they decide.
func suggestEvent(q event.Query, kind Kind, arm Arm) event.Event {
	return event.Event{Time: q.At, Kind: event.KindSuggest, Agent: "aoa", Session: q.Session, Subagent: q.Subagent,
		Tool: string(kind), Why: string(arm), Task: q.Task}
}

// suggestion is the event of one arm. It carries the confidence as shipped: what the repository's own calibration made
// of it, a refit must not learn from.
func suggestion(q event.Query, kind Kind, arm Arm, predictions []Prediction, places []int) event.Event {
	e := suggestEvent(q, kind, arm)
	for _, i := range places {
		e.Paths, e.Scores = append(e.Paths, predictions[i].File), append(e.Scores, predictions[i].Shipped)
	}
	e.ID = suggestionID(q.Session, kind, arm, q.At, e.Paths)
	return e
}

// reason is the decision in one word.
func reason(sets map[Arm][]int, c choice) string {
	switch {
	case len(sets[Shown]) > 0:
		return "shown"
	case len(sets[Withheld]) > 0:
		return "withheld"
	case len(sets[Shadow]) > 0 && c.retired:
		return "retired"
	case len(sets[Shadow]) > 0 && c.spent:
		return "spent"
	case len(sets[Shadow]) > 0 && c.early:
		return "soon"
	case c.idle:
		return "idle"
	case len(sets[Shadow]) > 0:
		return "below"
	}
	return "nothing"
}

// Printed takes back what a decision wanted to show and the text does not name, because there was no room: it was not shown, and
// nothing is predicted of it. named are the files of the text.
func (p *Prefetcher) Printed(d Decision, q event.Query, named []event.Path) Decision {
	i := slices.IndexFunc(d.Log, func(e event.Event) bool { return e.Why == string(Shown) })
	if len(named) == len(d.Shown) {
		return d
	}
	in := func(f event.Path) bool { return slices.Contains(named, f) }
	d.Shown = slices.DeleteFunc(slices.Clone(d.Shown), func(s event.Suggestion) bool { return !in(s.File) })
	if d.Why == string(Shown) && len(named) == 0 {
		d.Why = "room"
	}
	if i < 0 {
		return d
	}
	e, was := d.Log[i], d.Log[i]
	e.Paths, e.Scores = nil, nil
	for j, f := range was.Paths {
		if in(f) {
			e.Paths, e.Scores = append(e.Paths, f), append(e.Scores, was.Scores[j])
		}
	}
	e.ID = suggestionID(q.Session, Kind(e.Tool), Shown, q.At, e.Paths)
	d.Log = slices.Clone(d.Log)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending[q.Session] = slices.DeleteFunc(p.pending[q.Session], func(x pending) bool { return x.id == was.ID })
	if len(e.Paths) == 0 {
		d.Log = slices.Delete(d.Log, i, i+1)
		return d
	}
	d.Log[i] = e
	p.hold(q.Session, pending{id: e.ID, at: q.At, kind: Kind(e.Tool), arm: Shown, files: e.Paths})
	return d
}
