package prefetch

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/rank"
)

// estimate ranks and gives each file its probability: the only way from a question to a probability, for hints and for people. Who
// asks is done with the ranking when it no longer needs it. A round trip beside those of the ranking.
func (p *Prefetcher) estimate(ctx context.Context, q event.Query, own Calibration) (*rank.Ranking, []Prediction, error) {
	ranking, err := p.ranker.Score(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	task, c := rank.TaskOf(q), p.o.confident()
	predictions := c.Predictions(q, ranking.Files, own)
	if change := changeOf(q); task == event.TaskChange && p.o.Together != nil && len(change) > 0 {
		found, err := weigh(ranking.Files, change, countedFiles, func(with, f event.Path) (both, of int, err error) { return p.o.Together(ctx, with, f) })
		if err != nil {
			ranking.Done()
			return nil, nil, err
		}
		for _, e := range found {
			i := slices.IndexFunc(predictions, func(x Prediction) bool { return x.File == e.File })
			x := &predictions[i]
			x.Companion, x.Scale = e.Both >= missingShared, c.Warning.scale(e)
			x.Shipped = x.Scale.Probability(e.Logit)
			x.Scale = own.adjust(OfChange, x.Scale)
			x.P = x.Scale.Probability(e.Logit)
			x.evidence = e.Lack
		}
		likeliestFirst(predictions)
	}
	return ranking, predictions, nil
}

// countedFiles are those of a ranking whose commits are counted for their probability: each costs a search per file of the change,
// the first time.
const countedFiles = 16

// changeOf are the files of the change that a question is about, the newest last, as many as are weighed.
func changeOf(q event.Query) []event.Path {
	files := slices.DeleteFunc(slices.Clone(q.Files), func(f event.Path) bool { return f == q.Current })
	if q.Current != "" {
		files = append(files, q.Current)
	}
	return files[max(0, len(files)-missingFiles):]
}

// suggestion is the file in the form that people and agents get.
func (x Prediction) suggestion(ctx context.Context, ranking *rank.Ranking, explain bool) event.Suggestion {
	s := ranking.Suggestion(ctx, x.Place, explain)
	s.Score, s.Scale = x.P, x.Scale
	return s
}

// own is what the repository's outcomes have taught. One round trip.
func (p *Prefetcher) own(ctx context.Context) (Calibration, error) {
	r, err := p.LastRefit(ctx)
	return r.Now, err
}

// defaultAnswer is how many files are answered with where the question does not say.
const defaultAnswer = 5

// Answer is the answer for people and tools: the likeliest files, with the probabilities that hints have. Equal state and query give
// equal answers. Answer.Ms is left to the caller.
func (p *Prefetcher) Answer(ctx context.Context, q event.Query) (event.Answer, error) {
	own, err := p.own(ctx)
	if err != nil {
		return event.Answer{}, err
	}
	ranking, predictions, err := p.estimate(ctx, q, own)
	if err != nil {
		return event.Answer{}, err
	}
	defer ranking.Done()
	predictions = predictions[:min(len(predictions), cmp.Or(max(q.Limit, 0), defaultAnswer))]
	out := event.Answer{At: q.At.UnixMilli(), Suggestions: make([]event.Suggestion, 0, len(predictions))}
	for _, x := range predictions {
		out.Suggestions = append(out.Suggestions, x.suggestion(ctx, ranking, q.Explain))
	}
	if len(predictions) > 0 {
		out.Confidence = predictions[0].P
	}
	return out, nil
}

// Why is the whole arithmetic of one file, with the digits of Answer, and its place there; 0 for a file that Answer leaves out.
func (p *Prefetcher) Why(ctx context.Context, q event.Query, f event.Path) (s event.Suggestion, place int, err error) {
	own, err := p.own(ctx)
	if err != nil {
		return s, 0, err
	}
	ranking, predictions, err := p.estimate(ctx, q, own)
	if err != nil {
		return s, 0, err
	}
	defer ranking.Done()
	if i := slices.IndexFunc(predictions, func(x Prediction) bool { return x.File == f }); i >= 0 {
		return predictions[i].suggestion(ctx, ranking, true), i + 1, nil
	}
	s, err = p.ranker.Why(ctx, q, f)
	return s, 0, err
}

// Missing names what a change lacks, the likeliest first: at most limit files that share commits with the change and whose
// probability reaches least.
func (p *Prefetcher) Missing(ctx context.Context, q event.Query, least float64, limit int) ([]Lack, error) {
	own, err := p.own(ctx)
	if err != nil {
		return nil, err
	}
	q.Task = event.TaskChange
	change := q.Files
	if q.Files, err = p.withHistory(ctx, q); err != nil {
		return nil, err
	}
	ranking, predictions, err := p.estimate(ctx, q, own)
	if err != nil {
		return nil, err
	}
	defer ranking.Done()
	var out []Lack
	for _, x := range predictions {
		if x.Companion && x.P >= least && len(out) < limit && !slices.Contains(change, x.File) {
			x.evidence.Score = x.P
			out = append(out, x.evidence)
		}
	}
	return out, nil
}

// withHistory are the files of a change that were changed before, all of them if none was: a new file says nothing about what is
// missing, and would speak against the partners of the others.
func (p *Prefetcher) withHistory(ctx context.Context, q event.Query) ([]event.Path, error) {
	v := p.store.View(q.At)
	changes := v.Of(hot.Changes, event.Strings(q.Files))
	if err := v.Load(ctx); err != nil {
		return nil, fmt.Errorf("read the changes of files: %w", err)
	}
	var known []event.Path
	for i, f := range q.Files {
		if changes.Value[i] > 0 {
			known = append(known, f)
		}
	}
	if len(known) == 0 {
		return q.Files, nil
	}
	return known, nil
}
