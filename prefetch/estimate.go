package prefetch

import (
	"context"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/rank"
)

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
