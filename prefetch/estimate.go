package prefetch

import (
	"cmp"
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/rank"
)

// answers are the files that answer a question, with their probabilities.
type answers struct {
	Predictions []Prediction // the likeliest first
	q           event.Query

	ranking *rank.Ranking // nil for a change

	// of a change
	change  []event.Path
	found   []history.Companion
	commits *history.Commits
	weights *history.Weights
}

// Done gives the memory of the ranking back.
func (a *answers) Done() {
	if a.ranking != nil {
		a.ranking.Done()
	}
}

// estimate gives each file that may be an answer its probability: the only way from a question to a probability, for
// hints and for people. A question about a change is answered by the commits, every other one by the ranking. Who asks
// is done with the answers when it no longer needs them.
func (p *Prefetcher) estimate(ctx context.Context, q event.Query) (*answers, error) {
	if rank.TaskOf(q) == event.TaskChange {
		return p.companions(ctx, p.ofSession(q), p.ranker.Has)
	}
	ranking, err := p.ranker.Score(ctx, q)
	if err != nil {
		return nil, err
	}
	return &answers{Predictions: p.o.confident().Predictions(q, ranking.Files, p.Learned()), q: q, ranking: ranking}, nil
}

// ofSession is a question about the files that the session has edited since its prompt, unless it names files.
func (p *Prefetcher) ofSession(q event.Query) event.Query {
	if len(q.Files) == 0 && q.Current == "" && q.Session != "" {
		q.Files = p.sessions.Get(q.Session, q.At).Edited()
	}
	return q
}

// changeOf are the files of the change that a question is about, the newest last.
func changeOf(q event.Query) []event.Path {
	files := slices.DeleteFunc(slices.Clone(q.Files), func(f event.Path) bool { return f == q.Current })
	if q.Current != "" {
		files = append(files, q.Current)
	}
	return files
}

// suggestion is the file in the form that people and agents get.
func (a *answers) suggestion(ctx context.Context, x *Prediction, explain bool) event.Suggestion {
	if a.ranking == nil {
		return a.companion(x, explain)
	}
	s := a.ranking.Suggestion(ctx, x.Place, explain)
	s.Score, s.Scale = x.P, x.Scale
	return s
}

// defaultAnswer is how many files are answered with where the question does not say.
const defaultAnswer = 5

// Answer is the answer for people and tools: the likeliest files, with the probabilities that hints have. Equal state
// and query give equal answers. Answer.Ms is left to the caller.
func (p *Prefetcher) Answer(ctx context.Context, q event.Query) (event.Answer, error) {
	a, err := p.estimate(ctx, q)
	if err != nil {
		return event.Answer{}, err
	}
	defer a.Done()
	return a.answer(ctx), nil
}

func (a *answers) answer(ctx context.Context) event.Answer {
	listed := a.Predictions[:min(len(a.Predictions), cmp.Or(max(a.q.Limit, 0), defaultAnswer))]
	out := event.Answer{At: a.q.At.UnixMilli(), Suggestions: make([]event.Suggestion, 0, len(listed))}
	for i := range listed {
		out.Suggestions = append(out.Suggestions, a.suggestion(ctx, &listed[i], a.q.Explain))
	}
	if len(listed) > 0 {
		out.Confidence = listed[0].P
	}
	return out
}

// Why is the whole arithmetic of one file, with the digits of Answer, and its place there; 0 for a file that Answer
// leaves out.
func (p *Prefetcher) Why(ctx context.Context, q event.Query, f event.Path) (s event.Suggestion, place int, err error) {
	a, err := p.estimate(ctx, q)
	if err != nil {
		return s, 0, err
	}
	defer a.Done()
	for i := range a.Predictions {
		if x := &a.Predictions[i]; x.File == f {
			return a.suggestion(ctx, x, true), i + 1, nil
		}
	}
	if a.ranking == nil {
		return event.Suggestion{File: f, Scale: rank.Uncalibrated, Reasons: []event.Reason{}}, 0, nil
	}
	s, err = p.ranker.Why(ctx, q, f)
	return s, 0, err
}

// Lacks names what a change lacks, the likeliest first: all files that share two commits with a file of it and without
// which it is incomplete with a probability of at least Sure of the setting threshold. exists says which files there
// are. Package change asks, and leaves out what the checkout explains; nobody else should.
func (p *Prefetcher) Lacks(ctx context.Context, q event.Query, exists func(event.Path) bool) ([]Lack, error) {
	a, err := p.companions(ctx, q, exists)
	if err != nil {
		return nil, err
	}
	return a.lacks(Sure(p.o.threshold())), nil
}

// Completion is Answer and Lacks of one question about a change. least is the probability from which a file is named.
func (p *Prefetcher) Completion(ctx context.Context, q event.Query, least float64) (event.Answer, []Lack, error) {
	q.Task = event.TaskChange
	a, err := p.estimate(ctx, q)
	if err != nil {
		return event.Answer{}, nil, err
	}
	return a.answer(ctx), a.lacks(least), nil
}
