package prefetch

import (
	"context"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/rank"
)

// estimate gives each file that may be an answer its probability: the only way from a question to a
// probability, for hints and for people. A question about a change is answered by the commits, one
// about a change that has begun by both, every other one by the ranking. Who asks is done with the
// candidates when it no longer needs them.
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
// with a text.
func AsksCommits(q event.Query) bool { return rank.TaskOf(q) == event.TaskChange || Begins(q) }

// Answer is the answer for people and tools. Equal state, past and query give equal answers. Only a
// question about a change needs a past (AsksCommits).
func (p *Prefetcher) Answer(ctx context.Context, q event.Query, past history.Past) (event.Answer, error) {
	c, err := p.estimate(ctx, q, past)
	if err != nil {
		return event.Answer{}, err
	}
	defer c.Done()
	return c.Answer(ctx), nil
}

// Why is the whole arithmetic of one file, with the digits of Answer, and its place there; 0 for a
// file that Answer leaves out.
func (p *Prefetcher) Why(ctx context.Context, q event.Query, past history.Past, f event.Path) (s event.Suggestion,
	place int, err error) {
	c, err := p.estimate(ctx, q, past)
	if err != nil {
		return s, 0, err
	}
	defer c.Done()
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

// Sure is the probability from which a change lacks a file, see Sure.
func (p *Prefetcher) Sure() float64 { return Sure(p.o.threshold()) }
