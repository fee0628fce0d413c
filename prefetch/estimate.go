package prefetch

import (
	"cmp"
	"context"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

// estimate ranks and gives each file its probability: the only way from a question to a probability, for hints and
// for people. Who asks is done with the ranking when it no longer needs it.
func (p *Prefetcher) estimate(ctx context.Context, q event.Query, own Calibration, archive Archive) (*rank.Ranking,
	[]Prediction, error) {
	ranking, err := p.ranker.Score(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	var found []Evidence
	if change := changeOf(q); rank.TaskOf(q) == event.TaskChange && archive.Changes != nil && len(change) > 0 {
		if found, err = Weigh(ctx, ranking.Files, change, archive); err != nil {
			ranking.Done()
			return nil, nil, err
		}
	}
	return ranking, p.o.confident().Predictions(q, ranking.Files, found, own), nil
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
func (x Prediction) suggestion(ctx context.Context, ranking *rank.Ranking, explain bool) event.Suggestion {
	s := ranking.Suggestion(ctx, x.Place, explain)
	s.Score, s.Scale = x.P, x.Scale
	if use := x.evidence.Use; use.Name != "" {
		s.Reasons = append([]event.Reason{{Signal: event.SignalRemoved, Value: 1, With: use.In,
			Text: "still uses " + event.Path(use.Name).Display() + ", which this change removes in " +
				use.In.Display()}}, s.Reasons...)
	}
	return s
}

// predictions are those of a question of people and tools, with what the repository's outcomes have taught.
func (p *Prefetcher) predictions(ctx context.Context, q event.Query) (*rank.Ranking, []Prediction, error) {
	return p.estimate(ctx, q, p.LastRefit().Now, p.o.Archive)
}

// defaultAnswer is how many files are answered with where the question does not say.
const defaultAnswer = 5

// Answer is the answer for people and tools: the likeliest files, with the probabilities that hints have. Equal state
// and query give equal answers. Answer.Ms is left to the caller.
func (p *Prefetcher) Answer(ctx context.Context, q event.Query) (event.Answer, error) {
	ranking, predictions, err := p.predictions(ctx, q)
	if err != nil {
		return event.Answer{}, err
	}
	defer ranking.Done()
	return answer(ctx, q, ranking, predictions), nil
}

func answer(ctx context.Context, q event.Query, ranking *rank.Ranking, predictions []Prediction) event.Answer {
	predictions = predictions[:min(len(predictions), cmp.Or(max(q.Limit, 0), defaultAnswer))]
	out := event.Answer{At: q.At.UnixMilli(), Suggestions: make([]event.Suggestion, 0, len(predictions))}
	for _, x := range predictions {
		out.Suggestions = append(out.Suggestions, x.suggestion(ctx, ranking, q.Explain))
	}
	if len(predictions) > 0 {
		out.Confidence = predictions[0].P
	}
	return out
}

// Why is the whole arithmetic of one file, with the digits of Answer, and its place there; 0 for a file that Answer
// leaves out.
func (p *Prefetcher) Why(ctx context.Context, q event.Query, f event.Path) (s event.Suggestion, place int, err error) {
	ranking, predictions, err := p.predictions(ctx, q)
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

// Missing names what a change lacks, see the function Missing.
func (p *Prefetcher) Missing(ctx context.Context, q event.Query, least float64, limit int) ([]Lack, error) {
	q.Task = event.TaskChange
	ranking, predictions, err := p.predictions(ctx, q)
	if err != nil {
		return nil, err
	}
	ranking.Done()
	return p.missing(ctx, predictions, least, limit)
}

// Completion is Answer and Missing of one question about a change, which is weighed once.
func (p *Prefetcher) Completion(ctx context.Context, q event.Query, least float64, limit int) (event.Answer, []Lack,
	error) {
	q.Task = event.TaskChange
	ranking, predictions, err := p.predictions(ctx, q)
	if err != nil {
		return event.Answer{}, nil, err
	}
	defer ranking.Done()
	lacks, err := p.missing(ctx, predictions, least, limit)
	return answer(ctx, q, ranking, predictions), lacks, err
}

// missing counts all commits of what Missing names.
func (p *Prefetcher) missing(ctx context.Context, predictions []Prediction, least float64, limit int) (out []Lack,
	err error) {
	out = Missing(predictions, least, limit)
	for i := range out {
		if l := &out[i]; l.Of == changeCommits { // more were not read
			if l.Both, l.Of, err = p.o.Together(ctx, l.With, l.File); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
