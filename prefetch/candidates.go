package prefetch

import (
	"cmp"
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

// Candidates are the files that may answer a question. They were found by looking (Found), ranked
// (Prefetcher.Look), or change together with a change (Prefetcher.Companions); nothing was decided
// yet.
type Candidates struct {
	files   []Candidate // of facts in their order of importance, else the likeliest first
	query   event.Query
	found   []event.Suggestion // of facts: what was found
	ranking *rank.Ranking      // of a ranking, else nil
	beside  *companions        // of a change, else nil
	begun   *begun             // of a change that has begun, else nil
}

// Candidate is a file that may answer a question, with the probability that it is opened within the
// session's next Horizon file events (of a change: that it belongs to it).
type Candidate struct {
	Place   int // in the ranking, from 0
	File    event.Path
	Class   Class
	Shipped float64    // as aOa ships
	P       float64    // with what outcomes in the repository add to it
	Scale   rank.Scale // P = 1/(1+e^-(a·logit+b))
	Unseen  bool
	Named   bool    // the prompt names it
	Text    float64 // the signal text_share
	Terms   float64 // rank.Scored.Terms

	with    event.Path // of a change: the file of it that says most
	missing float64    // of a change: the probability that it is not complete without the file
	lacking bool       // of a change: it is what the change lacks, see Candidates.Lacking
}

// Found are candidates that were found by looking, in the order of importance.
func Found(files []event.Suggestion) *Candidates {
	c := &Candidates{found: files}
	for i, f := range files {
		c.files = append(c.files, Candidate{Place: i, File: f.File, P: 1, Shipped: f.Score})
	}
	return c
}

// Look ranks the files that may answer a question, and gives each its probability. Done is to be
// called when they are no longer needed. What goes with a change is answered by Companions.
func (p *Prefetcher) Look(ctx context.Context, q Question) (*Candidates, error) {
	q.Query.Task = traits[q.Kind].task
	return p.ranked(ctx, q.Query)
}

func (p *Prefetcher) ranked(ctx context.Context, q event.Query) (*Candidates, error) {
	ranking, err := p.ranker.Score(ctx, q)
	if err != nil {
		return nil, err
	}
	return &Candidates{files: p.o.confident().Candidates(q, ranking.Files, p.Learned()), query: q, ranking: ranking}, nil
}

// Done gives the memory of the ranking back.
func (c *Candidates) Done() {
	switch {
	case c.ranking != nil:
		c.ranking.Done()
	case c.begun != nil:
		c.begun.text.Done()
	}
}

// Ranked reports whether each has a probability of its own, and was not found by looking.
func (c *Candidates) Ranked() bool { return c.ranking != nil || c.beside != nil || c.begun != nil }

// Suggestions are the files of a decision on these candidates, with the reasons for each. A file of
// a list has its probability if the turn opens any file, as ListEstimate.Right has it.
func (c *Candidates) Suggestions(ctx context.Context, d *Decision) []event.Suggestion {
	out := make([]event.Suggestion, 0, len(d.Files()))
	for _, x := range d.Files() {
		s := c.located(ctx, &x, d.question.Query.Explain)
		if c.Ranked() && d.trait.list {
			s.Score = min(s.Score/d.opens, mostSure)
		}
		out = append(out, s)
	}
	return out
}

// suggestion is a candidate in the form that people and agents get.
func (c *Candidates) suggestion(ctx context.Context, x *Candidate, explain bool) event.Suggestion {
	switch {
	case c.begun != nil:
		return c.begun.suggestion(ctx, x, explain)
	case c.beside != nil:
		return c.beside.suggestion(x, explain, len(c.beside.change) > 1 || c.query.Session != "")
	case c.ranking == nil:
		return c.found[x.Place]
	}
	s := c.ranking.Suggestion(ctx, x.Place, explain)
	s.Score, s.Scale = x.P, x.Scale
	return s
}

// defaultAnswer is how many files are answered with where the question does not say.
const defaultAnswer = 5

// mostLocated is how many files of an answer are read for the place that changes: an answer may
// have a hundred.
const mostLocated = 5

// Answer is the answer for people and tools: the likeliest files, with the probabilities that hints
// have. Answer.Ms is left to the caller.
func (c *Candidates) Answer(ctx context.Context) event.Answer {
	most := cmp.Or(max(c.query.Limit, 0), defaultAnswer)
	out := event.Answer{At: c.query.At.UnixMilli(), Suggestions: make([]event.Suggestion, 0, min(most, len(c.files)))}
	for i := range c.files {
		x := &c.files[i]
		switch {
		case len(out.Suggestions) == most:
			return out
		case !c.usual(x):
			say := c.suggestion
			if len(out.Suggestions) < mostLocated {
				say = c.located
			}
			if out.Suggestions = append(out.Suggestions, say(ctx, x, c.query.Explain)); len(out.Suggestions) == 1 {
				out.Confidence = x.P
			}
		case len(out.Usual) < most:
			out.Usual = append(out.Usual, c.suggestion(ctx, x, c.query.Explain))
		}
	}
	return out
}

// usual reports whether a candidate changes with everything. A file that the text leads to does not
// count: the question asks for it.
func (c *Candidates) usual(x *Candidate) bool {
	if c.begun != nil {
		from := c.begun.at[x.File]
		return from[0] == nil && c.begun.beside.usual(from[1])
	}
	return c.beside != nil && c.beside.usual(x)
}

// trait is that of a question with these candidates. What a search means is a fact where it was
// found.
func (c *Candidates) trait(k HintKind) trait {
	t := traits[k]
	t.fact = t.fact || !c.Ranked()
	return t
}

func pathsOf(files []Candidate) (out []event.Path) {
	for _, x := range files {
		out = append(out, x.File)
	}
	return out
}

// without are the candidates that drop does not name.
func without(files []Candidate, drop func(event.Path) bool) []Candidate {
	return slices.DeleteFunc(slices.Clone(files), func(x Candidate) bool { return drop(x.File) })
}
