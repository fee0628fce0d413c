package prefetch

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/rank"
)

// A change has begun if files have been changed and a text tells what the work is: `aoa suggest -p
// TEXT FILE`. Answering by the text alone, or by the files alone, is worse than using both. So one
// ranking adds, for each file, its logit in the ranking of texts and its log odds as a companion of
// the change, and takes the kind of the file into account, because texts seldom mention tests
// although most commits contain some.

// Begun has the weights of this ranking, in the order of BegunSignals: the log odds of a file are the
// weighted sum of its BegunValues. They are the log odds that the work touches the file.
type Begun [8]float64

// BegunSignals has the names of the weights: that of the logit by the text, and what is added if the
// text does not lead to the file; the weight of the log odds as a companion of the change, and what is
// added if no commit connects the file with the change; what is added for a test, for a document, and
// for data, settings or a file that is not text.
var BegunSignals = [len(Begun{})]string{"bias", "text", "no_text", "change", "no_change", "test", "prose", "data"}

// BegunValues returns the values of a file by which the weights are multiplied. text and beside are
// its logits by the text and as a companion, NaN if it has none.
func BegunValues(f event.Path, text, beside float64) (x [8]float64) {
	x[0] = 1
	if x[1] = text; math.IsNaN(text) {
		x[1], x[2] = 0, 1
	}
	if x[3] = beside; math.IsNaN(beside) {
		x[3], x[4] = 0, 1
	}
	switch index.KindOf(f) {
	case index.KindTest:
		x[5] = 1
	case index.KindProse:
		x[6] = 1
	case index.KindData, index.KindBinary:
		x[7] = 1
	}
	return x
}

// LogOdds returns the log odds of a file with these values.
func (b *Begun) LogOdds(values [8]float64) (sum float64) {
	for i, w := range b {
		sum += w * values[i]
	}
	return sum
}

//go:embed begun.json
var begunJSON []byte

// ShippedBegun returns the weights in begun.json, which scripts/dev/train makes and aOa ships with.
var ShippedBegun = sync.OnceValue(func() *Begun {
	var f struct{ Weights map[string]float64 } // by the names in BegunSignals
	if err := json.Unmarshal(begunJSON, &f); err != nil {
		panic(fmt.Errorf("read the shipped weights of changes with a text: %w", err)) // a test reads the same bytes
	}
	var w Begun
	for i, name := range BegunSignals {
		w[i] = f.Weights[name]
	}
	return &w
})

// Begins reports whether a question is about a change that has begun. A question within a session
// is not, because the session tells more than the text.
func Begins(q event.Query) bool {
	return rank.TaskOf(q) == event.TaskPrompt && q.Session == "" && q.Prompt != "" && len(ChangeOf(q)) > 0
}

// begun joins the ranking by a text with the companions of a change. A file may be in one of them
// or in both.
type begun struct{ text, beside *Candidates }

// begin answers a question about a change that has begun.
func (p *Prefetcher) begin(ctx context.Context, q event.Query, past history.Past) (*Candidates, error) {
	asked := q
	asked.Files, asked.Current = nil, ""
	text, err := p.ranked(ctx, asked)
	if err != nil {
		return nil, err
	}
	b := &begun{text, p.Companions(q, past, p.ranker.Has)}
	sides := map[event.Path][2]*Candidate{}
	for side, c := range []*Candidates{b.text, b.beside} {
		for i := range c.files {
			both := sides[c.files[i].File]
			both[side] = &c.files[i]
			sides[c.files[i].File] = both
		}
	}
	out := &Candidates{query: q, begun: b}
	change := ChangeOf(q)
	for f, both := range sides {
		if slices.Contains(change, f) {
			continue
		}
		x := Candidate{File: f, Class: OfText, Scale: rank.Uncalibrated, Unseen: true, sides: both}
		x.P = x.Scale.Probability(ShippedBegun().LogOdds(b.values(&x)))
		x.Shipped = x.P
		out.files = append(out.files, x)
	}
	slices.SortFunc(out.files, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.P, a.P), cmp.Compare(a.File, b.File))
	})
	return out, nil
}

// values returns the BegunValues of a file.
func (b *begun) values(x *Candidate) [8]float64 {
	text, beside := math.NaN(), math.NaN()
	if side := x.sides[0]; side != nil {
		text = b.text.ranking.Files[side.Place].Logit
	}
	if side := x.sides[1]; side != nil {
		beside = b.beside.beside.found[side.Place].LogOdds
	}
	return BegunValues(x.File, text, beside)
}

// suggestion returns a file as people and agents get it. It has the reasons from the text and from
// the change, weighted so that their sum is the logit.
func (b *begun) suggestion(ctx context.Context, x *Candidate, explain bool) event.Suggestion {
	w, values := ShippedBegun(), b.values(x)
	s := event.Suggestion{File: x.File, Score: x.P, Logit: w.LogOdds(values), Scale: x.Scale, Unseen: true}
	for side, c := range []*Candidates{b.text, b.beside} {
		if x.sides[side] == nil {
			continue
		}
		part, weight := c.suggestion(ctx, x.sides[side], explain), w[1+2*side]
		for _, r := range part.Reasons {
			r.Weight *= weight
			s.Reasons = append(s.Reasons, r)
		}
		s.Together, s.Precedents = cmp.Or(part.Together, s.Together), part.Precedents
	}
	for i, v := range values {
		if v*w[i] != 0 && i != 1 && i != 3 && explain {
			s.Reasons = append(s.Reasons, event.Reason{Signal: BegunSignals[i], Value: v, Weight: w[i]})
		}
	}
	slices.SortStableFunc(s.Reasons, rank.Stronger)
	return s
}
