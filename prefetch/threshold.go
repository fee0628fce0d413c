package prefetch

import "math"

// Thresholds.
const (
	Balanced = 0.60 // the default
	Floor    = 0.40 // nothing below this is ever predicted
	// no threshold rises above this; otherwise the kind would never be shown again and could not
	// improve
	Ceiling = 0.90
)

// ListThreshold is the default of the setting threshold.prompt: a list is shown if one of its files
// is right with at least this probability, given that the turn opens any file.
const ListThreshold = 0.65

// Situation is the kind of prompt for which a list is decided.
type Situation string

// The situations of a prompt.
const (
	// A session's first prompt, unless it is a question: its own words tell what to do.
	FirstTask Situation = "first task"
	Asks      Situation = "question" // a prompt with a question mark
	Later     Situation = "later"    // any other prompt; also a search that failed
	// Agrees is a prompt whose turn is expected to open no file, or a later prompt of at most three
	// words. Files for such a prompt would be ordered by what the agent said before it, although
	// the prompt says nothing itself. Among 1,170 recorded ones none had a list by its own words.
	// By the agent's words there were 7 lists, 3 of them right, and 15 lists where the turn opens
	// nothing.
	Agrees Situation = "agreement"
)

// easier is the amount by which the threshold of lists is lowered in a situation. In recordings of
// 24 repositories, with weights fitted without the repository's owner, the lists at first prompts
// are right in .878 with a threshold of .60 and in .881 with .65. At later prompts the share would
// fall from .806 to .790, and at questions from .798 to .764.
var easier = map[Situation]float64{FirstTask: 0.05}

// How thresholds move.
const (
	targetPrecision = 0.75 // the share of shown files that should be used
	quantileStep    = 0.01 // eta in the formula of step
	ignoredInRow    = 3    // shown files ignored in a row for which a penalty is added
	ignorePenalty   = 0.10
)

// WarnMargin is how much more certain aOa must be to say that a change lacks a file than to suggest
// a file, because a missing file stops a commit.
const WarnMargin = 0.10

// Sure returns the least probability of a file that counts as missing from a change, if theta is
// the least probability of a shown hint. The check, MCP and the hint partner all use it, so that
// they name the same files. Outcomes do not move it.
func Sure(theta float64) float64 { return math.Min(clamp(theta)+WarnMargin, Ceiling) }

// clamp limits a threshold to [Floor, Ceiling]. NaN becomes Balanced.
func clamp(theta float64) float64 {
	if math.IsNaN(theta) {
		return Balanced
	}
	return math.Min(math.Max(theta, Floor), Ceiling)
}

// step returns how far one shown file moves the threshold, by the rule of the controlled quantile:
// eta·(err − (1−target)), where err is 1 if the file was not used, else 0. In the long run the
// share of unused files becomes 1−target, whatever the quality of the scores.
func step(used bool, target float64) float64 {
	err := 1.0
	if used {
		err = 0
	}
	return quantileStep * (err - (1 - target))
}

// drift adds a step to the drift of a kind. It limits the drift to what has an effect, so that
// nothing has to be unwound later.
func drift(now, by, base float64) float64 { return clamp(base+now+by) - base }

// theta returns the threshold that applies: base plus the kind's drift, the session's offset and
// the penalty for ignored suggestions, in [Floor, Ceiling].
func theta(base, drift, offset float64, ignored int) float64 {
	t := base + drift + offset
	if ignored >= ignoredInRow {
		t = clamp(t) + ignorePenalty
	}
	return clamp(t)
}
