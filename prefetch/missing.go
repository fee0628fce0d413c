package prefetch

import (
	"cmp"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

// Bounds of one look for what a change lacks.
const (
	missingFiles  = 16 // files of the change whose commits are counted, the last ones: as many as the ranking reads
	missingLooked = 8  // candidates looked at, the first ones
	missingShared = 2  // commits that two files must share: one may be chance
	missingOften  = .3 // share of a file's commits that makes another its companion
)

// Lack is a file that usually changes with a change and is not in it.
type Lack struct {
	File  event.Path
	Score float64    // probability that it belongs to the change
	With  event.Path // the file of the change that it changed with most regularly
	Both  int        // commits that changed both
	Of    int        // commits that changed With
}

// Evidence is what speaks for a warning: the ranking of the change, and what the archive counts.
type Evidence struct {
	Lack          // Score is left to Warning
	Logit float64 // of the ranking
	First float64 // 1 for the first of the ranking
	Gap   float64 // of the first: logit less that of the second; of any other: less that of the first. −3 to 3
	Share float64 // log odds of the share of With's commits that changed the file
	Next  float64 // the same share, of the second best file of the change
	Many  float64 // share of the change's files that it often changed with
	Size  float64 // ln(1 + files of the change)
	Alone float64 // 1 for a change of one file
}

// Warning turns evidence into the probability that the file belongs to the change: 1/(1+e^-(Bias + Σ weight·value)). A
// ranking alone does not separate a file that is always there from one that is merely the likeliest.
type Warning struct {
	Bias  float64 `json:"bias"`
	Logit float64 `json:"logit"`
	First float64 `json:"first"`
	Gap   float64 `json:"gap"`
	Share float64 `json:"share"`
	Next  float64 `json:"next"`
	Many  float64 `json:"many"`
	Size  float64 `json:"size"`
	Alone float64 `json:"alone"`
}

// Probability weighs the evidence.
func (w Warning) Probability(e Evidence) float64 {
	return w.scale(e).Probability(e.Logit)
}

// scale is the model as a calibration of the ranking's logit.
func (w Warning) scale(e Evidence) rank.Scale {
	return rank.Scale{w.Logit, w.Bias + w.First*e.First + w.Gap*e.Gap + w.Share*e.Share + w.Next*e.Next + w.Many*e.Many + w.Size*e.Size + w.Alone*e.Alone}
}

// Counts counts the commits of both files, and of the first.
type Counts func(with, f event.Path) (both, of int, err error)

// Missing names what a change lacks, the likeliest first, at most limit: of the first files of the ranking those that
// share two commits with a file of the change and whose probability reaches least.
func (w Warning) Missing(ranked []rank.Scored, change []event.Path, least float64, limit int, together Counts) ([]Lack, error) {
	found, err := Weigh(ranked, change, together)
	var out []Lack
	for _, e := range found {
		if e.Score = w.Probability(e); e.Score >= least {
			out = append(out, e.Lack)
		}
	}
	slices.SortStableFunc(out, func(a, b Lack) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(len(out), limit)], err
}

// Weigh gathers the evidence about the first files of a ranking that share two commits with a file of the change.
func Weigh(ranked []rank.Scored, change []event.Path, together Counts) ([]Evidence, error) {
	out, err := weigh(ranked[:min(len(ranked), missingLooked)], change, missingLooked, together)
	return slices.DeleteFunc(out, func(e Evidence) bool { return e.Both < missingShared }), err
}

// weigh gathers the evidence about all files of a ranking. The commits of the first counted are counted; the others count as if they
// shared none.
func weigh(ranked []rank.Scored, change []event.Path, counted int, together Counts) ([]Evidence, error) {
	out := make([]Evidence, 0, len(ranked))
	of := 0
	for i, f := range ranked {
		e := Evidence{Lack: Lack{File: f.File}, Logit: f.Logit, Size: math.Log1p(float64(len(change))), Alone: truth(len(change) == 1)}
		switch {
		case i > 0:
			e.Gap = max(f.Logit-ranked[0].Logit, -3)
		case len(ranked) > 1:
			e.First, e.Gap = 1, min(f.Logit-ranked[1].Logit, 3)
		default:
			e.First, e.Gap = 1, 3
		}
		if i >= counted {
			e.share(of)
		} else if err := e.count(change[max(0, len(change)-missingFiles):], together); err != nil {
			return out, err
		}
		of = max(of, e.Of)
		out = append(out, e)
	}
	return out, nil
}

// count looks for the files of the change that the file changed with most regularly.
func (e *Evidence) count(change []event.Path, together Counts) error {
	best, often, most := 0.0, 0, 0
	for _, with := range change {
		both, of, err := together(with, e.File)
		if err != nil {
			return err
		}
		most = max(most, of)
		// One more than counted: 1 of 1 says less than 9 of 10.
		s := float64(both) / float64(of+1)
		if s > missingOften {
			often++
		}
		switch {
		case s > best:
			e.With, e.Both, e.Of = with, both, of
			e.Next, best = best, s
		case s > e.Next:
			e.Next = s
		}
	}
	if e.With == "" {
		e.Of = most // none of so many
	}
	e.share(e.Of)
	e.Many = float64(often) / float64(max(len(change), 1))
	return nil
}

// share sets Share for With's number of commits.
func (e *Evidence) share(of int) { e.Share = logOdds(.98 * (float64(e.Both) + .3) / (float64(of) + 1)) }
