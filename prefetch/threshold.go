package prefetch

import "math"

// The thresholds that have names, and the bounds of all.
const (
	Conservative = 0.80
	Balanced     = 0.60 // the default
	Aggressive   = 0.40

	Floor   = 0.40 // nothing below is ever predicted
	Ceiling = 0.90 // no threshold rises above, or a kind could never prove itself again
)

// ListThreshold is the default of the setting threshold.prompt: a list is said from this
// probability on that one of its files is right, if the turn opens any.
const ListThreshold = 0.65

// Situation is the kind of prompt that a list is decided at.
type Situation string

// The situations.
const (
	FirstTask Situation = "first task" // a session's first prompt, no question: it says in its own words what to do
	Asks      Situation = "question"   // it has a question mark
	Later     Situation = "later"      // any other; a search that failed, too
	// its turn is expected to open nothing, or it is a later prompt of three words: its files are
	// ordered by what the agent said before it, and these words must decide nothing. Of 1,170
	// recorded ones none had a list by its own words, and with the agent's words 7 lists, 3 of them
	// right, stood against 15 where the turn opens nothing
	Agrees Situation = "agreement"
)

// easier is by how much the threshold of lists is lower in a situation; at an agreement nothing is
// said. In recordings of 24 repositories, weights fitted without their owner, lists at first
// prompts are right in .878 from .60 on and in .881 from .65 on. At later prompts .806 would fall
// to .790, and at questions .798 to .764.
var easier = map[Situation]float64{FirstTask: 0.05}

// How thresholds move.
const (
	targetPrecision = 0.75 // the share of shown files that should be used
	quantileStep    = 0.01 // eta of the controlled quantile
	ignoredInRow    = 3    // suggestions ignored in a row before the penalty
	ignorePenalty   = 0.10
)

// WarnMargin is how much surer aOa must be that a change lacks a file than that a file is needed
// next: what a change lacks stops a commit.
const WarnMargin = 0.10

// Sure is the probability from which a change lacks a file, where hints are shown from theta. It is
// one for the check, for MCP and for the hint partner, so that all name the same files: outcomes do
// not move it.
func Sure(theta float64) float64 { return math.Min(clamp(theta)+WarnMargin, Ceiling) }

// clamp keeps a threshold in [Floor, Ceiling]; what is not a number becomes Balanced.
func clamp(theta float64) float64 {
	if math.IsNaN(theta) {
		return Balanced
	}
	return math.Min(math.Max(theta, Floor), Ceiling)
}

// step is one move of the controlled quantile: eta·(err − (1−target)), err 1 for a file shown and
// not used. In the long run the share of unused files is 1−target, whatever the scores are worth.
func step(used bool, target float64) float64 {
	err := 1.0
	if used {
		err = 0
	}
	return quantileStep * (err - (1 - target))
}

// drift adds a step to a kind's drift and keeps it where it can matter, so that it never has to be
// unwound.
func drift(now, by, base float64) float64 { return clamp(base+now+by) - base }

// theta is the threshold that counts: base, the kind's drift, the session's offset and the penalty
// for being ignored, in [Floor, Ceiling].
func theta(base, drift, offset float64, ignored int) float64 {
	t := base + drift + offset
	if ignored >= ignoredInRow {
		t = clamp(t) + ignorePenalty
	}
	return clamp(t)
}
