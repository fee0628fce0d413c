package prefetch

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/rank"
)

// Bounds of a question about a change.
const (
	loggedFiles    = 16  // files of the change that a hint's event keeps, the last ones
	mostCompanions = 192 // files that are answers
)

// History returns the commits of the repository in memory. nil: nothing is known of any.
type History func(context.Context) (*history.Commits, error)

// Lack is a file that usually changes with a change and is not in it, with what a person can check: the counts, and
// commits to open.
type Lack struct {
	File           event.Path `json:"file"`
	Score          float64    `json:"score"` // probability that it belongs to the change
	event.Together            // with the file of the change that says most of it
	Commits        []string   `json:"commits"`    // the newest that changed both files, at most two; nine digits of their ids
	Without        int        `json:"without"`    // of the repository's newest 800 commits that did not change With …
	OfWithout      int        `json:"of_without"` // … these changed the file, of so many
}

// missingShared is how many commits two files must share before a warning names one of them: one may be chance.
const missingShared = 2

// leastMissing is the probability below which a file is never named as missing.
const leastMissing = 0.20

// shownCommits is how many commits stand beside the counts of a Lack.
const shownCommits = 2

// companions are what changes with a change, as predictions with the likeliest first. exists says which files there
// are.
func (p *Prefetcher) companions(ctx context.Context, q event.Query, exists func(event.Path) bool) (*answers, error) {
	a := &answers{q: q, change: changeOf(q), commits: &history.Commits{},
		weights: cmp.Or(p.o.Weights, history.Shipped())}
	if p.o.History != nil {
		var err error
		if a.commits, err = p.o.History(ctx); err != nil {
			return nil, err
		}
	}
	a.found = a.commits.Companions(a.weights, a.change, exists, mostCompanions)
	own := p.Learned()
	a.Predictions = make([]Prediction, 0, len(a.found))
	for i := range a.found {
		f := &a.found[i]
		x := Prediction{Place: i, File: f.File, Class: OfChange, Scale: own.adjust(OfChange, rank.Uncalibrated), Unseen: true,
			with: f.With, Shipped: rank.Uncalibrated.Probability(f.LogOdds)}
		x.P = x.Scale.Probability(f.LogOdds)
		x.missing = a.weights.Missing.Probability(f, logOdds(x.P), len(a.change))
		a.Predictions = append(a.Predictions, x)
	}
	return a, nil
}

// together counts the commits of a prediction about a change.
func (a *answers) together(x *Prediction) event.Together { return a.commits.Count(x.with, x.File) }

// sharing are the predictions that share two commits with the change and are likely enough to be logged, and what the
// change lacks: a hint names no others.
func (a *answers) sharing(lacks []Lack) (out []Prediction) {
	for i := range a.Predictions {
		x := &a.Predictions[i]
		lacking := slices.ContainsFunc(lacks, func(l Lack) bool { return l.File == x.File })
		if lacking || max(x.P, x.Shipped) >= Floor && a.together(x).Both >= missingShared {
			out = append(out, *x)
		}
	}
	return out
}

// lacks names what the change lacks: the files that share two commits with it and without which it is incomplete with
// the probability least.
func (a *answers) lacks(least float64) (out []Lack) {
	for i := range a.Predictions {
		x := &a.Predictions[i]
		if x.P < leastMissing {
			break
		}
		if x.missing < least {
			continue
		}
		if t := a.together(x); t.Both >= missingShared {
			l := Lack{File: x.File, Score: x.P, Together: t, Commits: a.commits.Newest(t.With, x.File, shownCommits)}
			l.Without, l.OfWithout = a.commits.Without(t.With, x.File)
			out = append(out, l)
		}
	}
	return out
}

// companion puts a file beside a change into the form that people and agents get.
func (a *answers) companion(x *Prediction, all bool) event.Suggestion {
	found := &a.found[x.Place]
	t := a.together(x)
	s := event.Suggestion{File: x.File, Score: x.P, Logit: found.LogOdds, Scale: x.Scale, Unseen: true}
	if t.Both > 0 {
		s.Together = &t
	}
	terms := a.weights.Terms(&found.Facts)
	for f, value := range found.Facts {
		if value*terms[f] != 0 {
			s.Reasons = append(s.Reasons, event.Reason{Signal: history.Fact(f).String(), Value: value, Weight: terms[f]})
		}
	}
	slices.SortStableFunc(s.Reasons, func(a, b event.Reason) int {
		return cmp.Compare(math.Abs(b.Weight*b.Value), math.Abs(a.Weight*a.Value))
	})
	if !all {
		s.Reasons = s.Reasons[:0]
	}
	for i := range s.Reasons {
		s.Reasons[i].Text = factTexts[s.Reasons[i].Signal]
	}
	s.Reasons = append([]event.Reason{a.evidence(found, t)}, s.Reasons...)
	return s
}

// evidence is what to say of a companion in one sentence. Its weight is 0: the facts have it.
func (a *answers) evidence(f *history.Companion, t event.Together) event.Reason {
	r := event.Reason{Signal: event.SignalTogether, Value: 1}
	switch {
	case t.Both > 0:
		r.Text = "changed together"
		if len(a.change) > 1 || a.q.Session != "" {
			r.Text, r.With = r.Text+" with "+f.With.Display(), f.With
		}
		r.Text += " in " + t.String()
	case f.Facts[history.Name] > 0:
		r.Text, r.With = "same stem as "+f.With.Display(), f.With
	case f.Facts[history.Folder] > 0:
		r.Text, r.With = "in the same folder as "+f.With.Display(), f.With
	default:
		r.Text = "changed lately"
	}
	return r
}

// factTexts are the facts in words.
var factTexts = map[string]string{
	history.Common.String(): "share of the commits with that file", history.Lately.String(): "more or less of them lately",
	history.Name.String(): "same stem", history.Folder.String(): "same folder", history.Fresh.String(): "changed lately",
	history.Number.String(): "how many commits that file has",
	history.Small.String():  "share of the commits of at most 3 files",
	history.Others.String(): "by the other files of the change", history.Alike.String(): "by commits like the change",
	history.Alone.String(): "it is the only file of the change", history.Steady.String(): "one commit moves a pair with many little",
}
