package main

import (
	"context"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/recorded"
)

// settings of an evaluation.
type settings struct {
	contents  bool
	weights   func(repo string) map[event.Task]rank.Model // those of a repository; nil, or nil of one: the shipped ones
	threshold float64                                     // probability from which files are shown, in (0,1]
	dump      *dump                                       // nil: none
	now       func() time.Time                            // to time rankings; nil: they are not timed
}

// run evaluates every source, several at once, and puts the table together in the order of the sources.
func run(ctx context.Context, sources []recorded.Source, o settings) (*Report, error) {
	scores := make([]*score, len(sources))
	err := recorded.Each(ctx, len(sources), func(ctx context.Context, i int) (err error) {
		scores[i], err = one(ctx, sources[i], o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return report(sources, scores), nil
}

// one evaluates one source: its sessions with its history, then its history alone.
func one(ctx context.Context, src recorded.Source, o settings) (*score, error) {
	s := newScore(o)
	s.repo = src.Name
	s.Counts.Sessions, s.Counts.Repeated, s.Counts.Unusable = len(src.Sessions), src.Repeated, src.Unusable
	replay := eval.Options{Contents: o.contents, Now: o.now}
	if o.weights != nil {
		replay.Models = o.weights(src.Name)
	}
	replay.Learned = func(e event.Event) {
		s.opening(e)
		s.baselines.learn(e)
	}
	if len(src.Sessions) > 0 {
		if err := eval.Sessions(ctx, src.Source, replay, s.take); err != nil {
			return nil, err
		}
	}
	s.baselines = newBaselines()
	replay.Learned = func(e event.Event) {
		if e.Kind() == event.KindCommit {
			s.Counts.Commits++
		}
		s.baselines.learn(e)
	}
	err := recorded.Commits(ctx, src.Source, replay, s.take)
	s.baselines, s.scratch = nil, nil
	return s, err
}

// opening counts what sessions opened and searched.
func (s *score) opening(e event.Event) {
	switch {
	case eval.Opens(e):
		s.Counts.Events += len(e.Paths())
	case e.Kind() == event.KindSearch || e.Kind() == event.KindRun && e.Call().Listing:
		s.Counts.Searches++
	}
}
