package rank

import "github.com/aoa-dev/aoa/internal/aoa"

// Scale is a, b of the calibration: probability = 1/(1+e^-(a·logit+b)).
type Scale [2]float64

// Model is what a moment needs to turn signals into probabilities.
type Model struct {
	Weights Values
	Scale   Scale
	Unseen  Scale // for files that nothing in the session has named: they are opened far less often
}

// Prior is the model that aOa ships with, one per moment: logistic regressions on five repositories' recorded
// sessions and commits, the calibration fitted afterwards on the five best of each question, each the first time
// that a session would have been told of it. CalibrationOfSessions and CalibrationOfChanges in the tests repeat
// the measurement, and with -fit the training; there each repository is measured with weights fitted on the others.
//
// Set by hand are Tags (no recording has any) and, for opens, Frequency (whose fitted weight is not told from 0).
func Prior() map[aoa.Moment]Model {
	return map[aoa.Moment]Model{
		aoa.MomentPrompt: {Weights: promptWeights, Scale: Scale{0.76, -0.54}, Unseen: Scale{0.66, -0.21}},
		aoa.MomentOpen:   {Weights: openWeights, Scale: Scale{0.54, -0.30}, Unseen: Scale{0.88, 0.56}},
		aoa.MomentChange: {Weights: changeWeights, Scale: Scale{0.83, -0.20}, Unseen: Scale{0.83, -0.20}},
	}
}

var promptWeights = Values{
	Bias: -4.77, RecencyHour: 0.94, RecencyDay: 0.60, Frequency: 0.86, Tags: 0.50, Comod: 1.10, Session: 0.61,
	Successor: 0.57, Terms: 4.81, Words: 1.21, Named: 0.61, NamedBefore: 0.02, InCommand: 0.45, Mentioned: 1.63,
	SeenBefore: 0.67, Pair: 0.75, Committed: 0.41, Opened: -2.53,
}

var openWeights = Values{
	Bias: -4.80, RecencyHour: 0.68, RecencyDay: 0.49, Frequency: 0.10, Tags: 0.50, Comod: 1.75, Session: 1.35,
	Successor: 1.87, Terms: 1.69, Words: 0.74, Named: 0.14, InCommand: 0.28, Mentioned: 2.38, SeenBefore: 0.97,
	Directory: 0.49, Pair: 0.55, Opened: -2.04,
}

// With every further file in hand one is left to find, hence the negative weight of their number.
var changeWeights = Values{
	Bias: -4.39, Comod: 2.32, ComodMean: 2.25, Support: 2.33, Directory: 0.15, Pair: 1.09, Committed: 1.40,
	InHand: -6.34,
}
