package prefetch

import (
	"cmp"
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/rank"
)

// Candidates are the files that may answer a question, before anything is decided. They were looked
// up (Found), ranked (Prefetcher.Look), or usually change together with a change
// (Prefetcher.Companions).
type Candidates struct {
	files   []Candidate // for Found in order of importance, else the most probable first
	query   event.Query
	found   []event.Suggestion // the suggestions that Found was given
	ranking *rank.Ranking      // the ranking that they come from; nil for others
	beside  *companions        // the change that they are companions of; nil for others
	begun   *begun             // set for a change that has begun
}

// Candidate is a file that may answer a question. P is the probability that it is opened within the
// session's next Horizon file events, or, for a question about a change, that it belongs to the
// change.
type Candidate struct {
	Place   int // index among the candidates
	File    event.Path
	Class   Class
	Shipped float64    // the probability by the weights that aOa ships with
	P       float64    // the probability that also takes the outcomes in this repository into account
	Scale   rank.Scale // P = 1/(1+e^-(a·logit+b))
	Unseen  bool
	Named   bool    // the prompt names it
	Text    float64 // value of the signal text_share
	Terms   float64 // rank.Scored.Terms

	with    event.Path // for a change: the file of the change that is the strongest evidence
	missing float64    // for a change: the probability that the change is incomplete without this file
	lacking bool       // for a change: the change lacks this file, see Candidates.Lacking

	// for a change that has begun: the candidates for the file by the text and beside the change, nil
	// for a side that lacks the file
	sides [2]*Candidate
}

// Found returns candidates that were looked up and not ranked. files are in order of importance.
func Found(files []event.Suggestion) *Candidates {
	c := &Candidates{found: files}
	for i, f := range files {
		c.files = append(c.files, Candidate{Place: i, File: f.File, P: 1, Shipped: f.Score})
	}
	return c
}

// Look ranks the files that may answer a question and gives each its probability. For questions
// about a change use Companions.
func (p *Prefetcher) Look(ctx context.Context, q Question) (*Candidates, error) {
	q.Query.Task = traits[q.Kind].task
	return p.ranked(ctx, q.Query)
}

func (p *Prefetcher) ranked(ctx context.Context, q event.Query) (*Candidates, error) {
	ranking, err := p.ranker.Score(ctx, q)
	if err != nil {
		return nil, err
	}
	return &Candidates{files: p.o.Confident.Candidates(q, ranking.Files, p.Learned()), query: q, ranking: ranking}, nil
}

// Ranked reports whether each candidate has a probability of its own. It is false for candidates of
// Found.
func (c *Candidates) Ranked() bool { return c.ranking != nil || c.beside != nil || c.begun != nil }

// Suggestions returns the files of a decision about these candidates, with reasons. In a list, the
// score of a file is its probability on the condition that the turn opens any file, as in
// ListEstimate.Right.
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

// suggestion returns a candidate as people and agents get it.
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

// defaultAnswer is the number of files in an answer if the question does not set a limit.
const defaultAnswer = 5

// mostLocated is the number of files of an answer that are read to find the place that will change.
// An answer may have a hundred files.
const mostLocated = 5

// Answer returns the answer for people and tools: the most probable files, with the probabilities
// that hints use. The caller sets Answer.Ms.
func (c *Candidates) Answer(ctx context.Context) event.Answer {
	most := cmp.Or(max(c.query.Limit, 0), defaultAnswer)
	out := event.Answer{At: c.query.At.UnixMilli(), Suggestions: make([]event.Suggestion, 0, min(most, len(c.files)))}
	files := c.files
	if c.query.Worth && c.beside != nil && c.beside.past.Alone(c.beside.change) {
		files = c.beside.listed(files, most)
	}
	for i := range files {
		x := &files[i]
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

// usual reports whether a candidate changes with almost every change. A file to which the text
// leads is never usual, because the question asks for it.
func (c *Candidates) usual(x *Candidate) bool {
	if c.begun != nil {
		return x.sides[0] == nil && c.begun.beside.usual(x.sides[1])
	}
	return c.beside != nil && c.beside.usual(x)
}

// trait returns the trait of a kind for a question with these candidates. The files that a search
// means are facts if they were looked up.
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

// without returns the candidates for which drop is false.
func without(files []Candidate, drop func(event.Path) bool) []Candidate {
	return slices.DeleteFunc(slices.Clone(files), func(x Candidate) bool { return drop(x.File) })
}

// estimate returns the candidates for a question with their probabilities. All probabilities, for
// hints and for people, come from here. Commits answer a question about a change; commits and the
// ranking one about a change that has begun; the ranking every other one.
func (p *Prefetcher) estimate(ctx context.Context, q event.Query, past history.Past) (*Candidates, error) {
	switch {
	case Begins(q):
		return p.begin(ctx, q, past)
	case AsksCommits(q):
		return p.Companions(q, past, p.ranker.Has), nil
	}
	return p.ranked(ctx, q)
}

// AsksCommits reports whether a question is about a change, so that commits answer it, alone or
// together with a text.
func AsksCommits(q event.Query) bool { return rank.TaskOf(q) == event.TaskChange || Begins(q) }

// Answer returns the answer for people and tools. The same state, past and query give the same
// answer. Only a question about a change needs a past (see AsksCommits).
func (p *Prefetcher) Answer(ctx context.Context, q event.Query, past history.Past) (event.Answer, error) {
	c, err := p.estimate(ctx, q, past)
	if err != nil {
		return event.Answer{}, err
	}
	return c.Answer(ctx), nil
}

// Why returns the suggestion for one file with all its reasons, so that its probability, which is
// the one in Answer, can be computed by hand. place is the file's place in the ranking, from 1; 0
// if the file is not in it.
func (p *Prefetcher) Why(ctx context.Context, q event.Query, past history.Past, f event.Path) (s event.Suggestion,
	place int, err error) {
	c, err := p.estimate(ctx, q, past)
	if err != nil {
		return s, 0, err
	}
	for i := range c.files {
		if x := &c.files[i]; x.File == f {
			return c.located(ctx, x, true), i + 1, nil
		}
	}
	if c.ranking == nil {
		return event.Suggestion{File: f, Scale: rank.Uncalibrated, Reasons: []event.Reason{}}, 0, nil
	}
	s, err = p.ranker.Why(ctx, q, f)
	return s, 0, err
}

// Sure returns the least probability of a file that counts as missing from a change; see the
// function Sure.
func (p *Prefetcher) Sure() float64 { return Sure(p.o.Settings().Threshold) }
