package prefetch

import (
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Candidates are the files that may be said in answer to a question. They were found by looking (Found), or ranked
// (Prefetcher.Look); nothing was decided yet.
type Candidates struct {
	files  []Prediction       // of facts in their order of importance, of a ranking the likeliest first
	found  []event.Suggestion // of facts: what was found
	ranked *answers           // nil for facts
}

// Found are candidates that were found by looking, in the order of importance.
func Found(files []event.Suggestion) *Candidates {
	c := &Candidates{found: files}
	for i, f := range files {
		c.files = append(c.files, Prediction{Place: i, File: f.File, P: 1, Shipped: f.Score})
	}
	return c
}

// Look gives each file that may answer a question its probability, by the ranking or, for Partner, by the commits of
// the repository. Done is to be called when they are no longer needed.
func (p *Prefetcher) Look(ctx context.Context, q Question) (*Candidates, error) {
	q.Query.Task = traits[q.Kind].task
	a, err := p.estimate(ctx, q.Query)
	return candidatesOf(q, a), err
}

func candidatesOf(q Question, a *answers) *Candidates {
	switch {
	case a == nil:
		return nil
	case q.Kind == Partner:
		return &Candidates{files: a.sharing(q.Lacks), ranked: a}
	}
	return &Candidates{files: a.Predictions, ranked: a}
}

// Done gives the memory of the ranking back.
func (c *Candidates) Done() {
	if c.ranked != nil {
		c.ranked.Done()
	}
}

// Ranked reports whether they come from a ranking, and were not found.
func (c *Candidates) Ranked() bool { return c.ranked != nil }

// Suggestions are the files of a decision on these candidates, with the reasons for each. A file of a list has its
// probability if the turn opens any file, as ListEstimate.Right has it.
func (c *Candidates) Suggestions(ctx context.Context, d *Decision) []event.Suggestion {
	if c.ranked == nil {
		var out []event.Suggestion
		for _, x := range d.Files() {
			out = append(out, c.found[x.Place])
		}
		return out
	}
	out := make([]event.Suggestion, 0, len(d.Files()))
	for _, x := range d.Files() {
		s := c.ranked.suggestion(ctx, &x, d.question.Query.Explain)
		if traits[d.question.Kind].list {
			s.Score = min(s.Score/d.opens, mostSure)
		}
		out = append(out, s)
	}
	return out
}

// trait is that of a question with these candidates. What a search means is a fact where it was found.
func (c *Candidates) trait(k Kind) trait {
	t := traits[k]
	t.fact = t.fact || !c.Ranked()
	return t
}

func pathsOf(predictions []Prediction) (out []event.Path) {
	for _, x := range predictions {
		out = append(out, x.File)
	}
	return out
}

// without are the predictions that drop does not name.
func without(predictions []Prediction, drop func(event.Path) bool) []Prediction {
	return slices.DeleteFunc(slices.Clone(predictions), func(x Prediction) bool { return drop(x.File) })
}
