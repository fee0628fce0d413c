package prefetch

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

// Weighed is how many files of a ranking are weighed by all evidence, the first.
const Weighed = 16

// Lack is a file that usually changes with a change and is not in it.
type Lack struct {
	File  event.Path
	Score float64    // probability that it belongs to the change
	With  event.Path // the file of the change that it changed with most regularly; "" if none
	Both  int        // commits that changed both
	Of    int        // commits that changed With
	Use   Use        // the name that it still uses although the change removes it; zero if none
}

// missingShared is how many commits two files must share: one may be chance.
const missingShared = 2

// Names reports whether a warning may name the file: more than a likeness speaks for it.
func (l Lack) Names() bool { return l.Both >= missingShared || l.Use.Name != "" }

// Fact is one of the numbers that speak for or against a file beside a change.
type Fact int

// The facts. Each is 0 if nothing is known.
const (
	Always    Fact = iota // 1
	RankLogit             // of the ranking
	RankFirst             // 1 for the first of the ranking
	// of the first: logit less that of the second; of any other: less that of the first. −3 to 3
	RankGap
	ChangeSize  // ln(1 + files of the change)
	ChangeAlone // 1 for a change of one file
	// share of the commits of a file of the change that changed this one, too: of the second best file
	ShareNext
	ShareMany   // share of the change's files for which that is more than .3
	ShareNewest // log odds of that share of the newest 10 commits, of the best file
	ShareStreak // ln(1 + newest commits of the best file that changed this one without exception, at most 8)
	ShareBack   // log odds of the share of the commits of this file that changed the best one, too
	Similar     // log odds of the share of the commits like this change that changed this file; see similar
	SimilarHigh // that, above 0
	// 1/n: it is one of n files that use a name that the change removes from where it was defined
	NameRemoved
	NameGone      // 1−e^−Σ 1/n over other names that the change removes
	NameDefined   // 1−e^−Σ 1/n over names that it uses and whose definition the change edits
	NameTouched   // share of Σ 1/n over names that a file has and the change edits, of all files
	NameTouchedBy // 1/√r of the r-th file by that sum
	NameCalled    // ln(1 + Σ 1/n) over names that it is one of n to define and that the change uses
	facts         // their number
)

var factNames = [facts]string{"bias", "logit", "first", "gap", "size", "alone", "next", "many", "newest", "streak",
	"back", "similar", "similar_high",
	"name_removed", "name_gone", "name_defined", "name_touched", "name_touched_place", "name_called"}

// Facts are the numbers of one file.
type Facts [facts]float64

// Evidence is what speaks for a warning.
type Evidence struct {
	Lack // Score is left to Missing
	Facts
}

// Warning turns evidence into the probability that the file belongs to the change: the log odds are a curve of Σ
// weight·fact, which the size of the change selects. A ranking alone does not separate a file that is always there
// from one that is merely the likeliest.
type Warning struct {
	Weights Facts        `json:"weights"`
	Sizes   [sizes]Curve `json:"sizes"` // for changes of 1, 2, 3 to 5, and 6 and more files
}

// Curve is the weights of Bends: a broken line of a file's log odds and of those of the others. The zero value
// changes nothing. Small changes need the bends: strong evidence holds less for them, because many of them are
// complete.
type Curve [7]float64

// The log odds at which a Curve may bend, probabilities of .27 and .73, and how far those of the others go.
const bendLow, bendHigh, mostOthers = -1, 1, 4

// Bends are what a Curve weighs of a file with log odds of z and others, see Others.
func Bends(z, others float64) Curve {
	return Curve{1, z, max(z-bendLow, 0), max(z-bendHigh, 0), others, max(others-bendLow, 0), max(others-bendHigh, 0)}
}

// Others are, for each file of a ranking, ln Σ e^z over the log odds z of the other files that are weighed, from −4
// to 4: what another file explains, this one explains less.
func Others(z []float64) []float64 {
	out := make([]float64, len(z))
	for i := range z {
		sum := math.Exp(-mostOthers)
		for k, v := range z[:min(len(z), Weighed)] {
			if k != i {
				sum += math.Exp(min(v, mostOthers))
			}
		}
		out[i] = min(math.Log(sum), mostOthers)
	}
	return out
}

// line is a, b of the part of the curve a·z + b that z is on.
func (c Curve) line(z, others float64) rank.Scale {
	if c == (Curve{}) {
		return rank.Uncalibrated
	}
	s := rank.Scale{c[1], 0}
	if z > bendLow {
		s[0] += c[2]
	}
	if z > bendHigh {
		s[0] += c[3]
	}
	for i, x := range Bends(z, others) {
		s[1] += c[i] * x
	}
	s[1] -= s[0] * z
	return s
}

// sizes is the number of classes of changes by their size.
const sizes = 4

// SizeOf is the place in Sizes of a change of n files.
func SizeOf(n int) int {
	switch {
	case n <= 1:
		return 0
	case n == 2:
		return 1
	case n <= 5:
		return 2
	}
	return 3
}

// MarshalJSON writes the numbers by the names of the facts.
func (f Facts) MarshalJSON() ([]byte, error) {
	out := map[string]float64{}
	for i, name := range factNames {
		out[name] = f[i]
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the numbers by the names of the facts. One that is missing is 0.
func (f *Facts) UnmarshalJSON(data []byte) error {
	var in map[string]float64
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	for name, v := range in {
		i := slices.Index(factNames[:], name)
		if i < 0 {
			return fmt.Errorf("there is no fact %q", name)
		}
		f[i] = v
	}
	return nil
}

// LogOdds is Σ weight·fact.
func (w *Warning) LogOdds(f *Facts) (z float64) {
	for i, v := range f {
		z += w.Weights[i] * v
	}
	return z
}

// Scales are the model as calibrations of the ranking's logits, of all files of a ranking and in its order.
func (w *Warning) Scales(found []*Facts) []rank.Scale {
	z := make([]float64, len(found))
	for i, f := range found {
		z[i] = w.LogOdds(f)
	}
	own, out := w.Weights[RankLogit], make([]rank.Scale, len(found))
	for i, others := range Others(z) {
		f := found[i]
		s := w.Sizes[SizeOf(int(math.Round(math.Expm1(f[ChangeSize]))))].line(z[i], others)
		out[i] = rank.Scale{s[0] * own, s[0]*(z[i]-own*f[RankLogit]) + s[1]}
	}
	return out
}

// Weigh gathers the evidence about the files of a ranking of a change, in its order. Those behind the first Weighed
// are weighed as if they shared no commit and no name with the change.
func Weigh(ctx context.Context, ranked []rank.Scored, change []event.Path, a Archive) ([]Evidence, error) {
	c, err := a.companionsOf(ctx, change)
	if err != nil {
		return nil, err
	}
	out := make([]Evidence, 0, len(ranked))
	for i, f := range ranked {
		e := Evidence{Lack: Lack{File: f.File}}
		e.Facts[Always], e.Facts[RankLogit] = 1, f.Logit
		switch {
		case i > 0:
			e.Facts[RankGap] = max(f.Logit-ranked[0].Logit, -3)
		case len(ranked) > 1:
			e.Facts[RankFirst], e.Facts[RankGap] = 1, min(f.Logit-ranked[1].Logit, 3)
		default:
			e.Facts[RankFirst], e.Facts[RankGap] = 1, 3
		}
		e.Facts[ChangeSize], e.Facts[ChangeAlone] = math.Log1p(float64(len(change))), truth(len(change) == 1)
		of := 0
		if i < Weighed && a.Together != nil && len(c.pairs) > 0 {
			if _, of, err = a.Together(ctx, f.File, c.pairs[0].with); err != nil {
				return nil, err
			}
		}
		c.share(&e, of, i < Weighed)
		c.name(&e, i < Weighed)
		out = append(out, e)
	}
	return out, nil
}

// shareOften is the share of a file's commits that makes another its companion.
const shareOften = .3

// share sets what commits say. of is the number of commits of the file.
func (c *companions) share(e *Evidence, of int, counted bool) {
	x := &e.Facts
	best, next, often := 0.0, 0.0, 0
	x[ShareNewest], x[ShareBack] = leastShare, leastShare
	for i := range c.pairs {
		p := &c.pairs[i]
		var s shared
		if found := p.shared[e.File]; found != nil && counted {
			s = *found
		}
		v := float64(s.both) / float64(p.of+1) // one more than counted: 1 of 1 says less than 9 of 10
		if v > shareOften {
			often++
		}
		switch {
		case v > best:
			e.With, e.Both, e.Of = p.with, s.both, p.of
			next, best = best, v
		case v > next:
			next = v
		}
		x[ShareNewest] = max(x[ShareNewest], oddsOf(s.newest, min(p.of, newestCommits)))
		x[ShareStreak] = max(x[ShareStreak], math.Log1p(float64(s.streak)))
		x[ShareBack] = max(x[ShareBack], oddsOf(s.both, max(of, s.both)))
	}
	x[ShareNext], x[ShareMany] = next, float64(often)/float64(max(len(c.pairs), 1))
	like := 0.0
	if counted {
		like = c.similar[e.File]
	}
	x[Similar] = logOdds(.98 * (like + .02) / (c.all + .06))
	x[SimilarHigh] = max(x[Similar], 0)
}

// leastShare is the log odds of a share of which nothing is known.
const leastShare = -5

// oddsOf is the log odds of a share, where none of none is a third.
func oddsOf(n, of int) float64 { return logOdds(.98 * (float64(n) + .3) / (float64(of) + 1)) }

// name sets what the lines of the change say.
func (c *companions) name(e *Evidence, counted bool) {
	n := c.names[e.File]
	if n == nil || !counted {
		return
	}
	x := &e.Facts
	e.Use = n.uses
	x[NameRemoved], x[NameGone], x[NameDefined] = n.removed, 1-math.Exp(-n.gone), 1-math.Exp(-n.defined)
	if n.touched > 0 {
		x[NameTouched], x[NameTouchedBy] = n.touched/c.touched, n.place
	}
	x[NameCalled] = math.Log1p(n.calls)
}

// Missing names what a change lacks, of predictions about it and in their order, the likeliest first: at most limit
// files that share two commits with it, or use a name that it removes, and whose probability reaches least.
func Missing(predictions []Prediction, least float64, limit int) (out []Lack) {
	for _, x := range predictions {
		if x.Companion && x.P >= least && len(out) < limit {
			l := x.evidence
			l.Score = x.P
			out = append(out, l)
		}
	}
	return out
}
