package prefetch

import (
	"math"

	"github.com/aoa-dev/aoa/rank"
)

// Intercept sums up the outcomes of a kind's files in one repository as one number, which is added
// to the log odds of the files that this kind names. The zero value adds nothing.
type Intercept struct {
	Value    float64 // in [-mostIntercept, mostIntercept]
	Outcomes int     // that have moved it, at most lastingOutcomes
}

// How an intercept moves. Each outcome moves it by 4/(priorOutcomes+Outcomes) times what was wrong
// with the promise: stochastic approximation (Robbins and Monro, 1951) with the step of Newton's
// method for a file of probability 1/2, which is never too long, since the curvature of the log
// loss is at most 1/4.
//
// Measured on the 5,727 outcomes of 15 recorded repositories, each predicted before it was learned
// from: the log loss falls from .544 to .482, in 14 of the 15, and the mean distance of what was
// promised and what came true from .135 to .101. With 10 for priorOutcomes the loss is .467, but at
// prompts 6 of 15 repositories get worse and not 3. A slope beside the intercepts, fitted anew each
// day, made it .553.
const (
	priorOutcomes   = 40  // the shipped probability counts like this many outcomes
	lastingOutcomes = 400 // from then on newer outcomes replace older ones: people, agents and repositories change
	mostIntercept   = 1.0 // turns .50 into .27 or .73 and no further: the rest is for the threshold to adapt
)

// after is the intercept after one more outcome: of a file with the probability p as shipped, in
// (0,1).
func (i Intercept) after(p float64, used bool) Intercept {
	wrong := truth(used) - rank.Scale{1, i.Value}.Probability(logOdds(p))
	n := min(i.Outcomes+1, lastingOutcomes)
	return Intercept{min(max(i.Value+wrong*4/float64(priorOutcomes+n), -mostIntercept), mostIntercept), n}
}

// usable says whether a stored intercept may be used.
func (i Intercept) usable() bool {
	return math.Abs(i.Value) <= mostIntercept && i.Outcomes >= 0 && i.Outcomes <= lastingOutcomes
}

// Intercepts has the intercept of each kind that ranks. A kind that is missing has learned nothing.
type Intercepts map[HintKind]Intercept

// Learn takes in the outcome of a file that a kind predicted with the shipped probability p. A
// prediction that was not ranked has no p in (0,1), and teaches nothing.
func (m Intercepts) Learn(k HintKind, p float64, used bool) {
	if t, known := traits[k]; known && !t.fact && p > 0 && p < 1 {
		m[k] = m[k].after(p, used)
	}
}

// adjust puts the intercept of a class behind a shipped scale.
func (m Intercepts) adjust(c Class, s rank.Scale) rank.Scale {
	s[1] += m[c.Kind()].Value
	return s
}

// logOdds of a probability, finite.
func logOdds(p float64) float64 {
	p = min(max(p, 1e-6), 1-1e-6)
	return math.Log(p / (1 - p))
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
