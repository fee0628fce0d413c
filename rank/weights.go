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
		aoa.MomentPrompt: {Weights: promptWeights, Scale: Scale{0.76, -0.48}, Unseen: Scale{0.58, -0.35}},
		aoa.MomentOpen:   {Weights: openWeights, Scale: Scale{0.54, -0.30}, Unseen: Scale{0.90, 0.67}},
		aoa.MomentChange: {Weights: changeWeights, Scale: Scale{0.83, -0.20}, Unseen: Scale{0.83, -0.20}},
	}
}

var promptWeights = Values{
	Bias: -4.83, RecencyHour: 0.91, RecencyDay: 0.50, Frequency: 1.11, Tags: 0.50, Comod: 0.82, Session: 0.56,
	Successor: 0.81, Terms: 2.79, Words: 1.32, Named: 2.57, NamedBefore: 0.67, InCommand: 0.74, Mentioned: 1.71,
	SeenBefore: 0.68, Pair: 0.74, Committed: 0.40, Opened: -2.49,
}

var openWeights = Values{
	Bias: -4.89, RecencyHour: 0.65, RecencyDay: 0.47, Frequency: 0.10, Tags: 0.50, Comod: 1.30, Session: 1.52,
	Successor: 2.12, Terms: 1.38, Words: 0.44, Named: 1.29, NamedBefore: 0.06, InCommand: 0.64, Mentioned: 2.48,
	SeenBefore: 1.08, Directory: 0.68, Pair: 0.60, Opened: -2.06,
}

// With every further file in hand one is left to find, hence the negative weight of their number.
var changeWeights = Values{
	Bias: -4.39, Comod: 2.32, ComodMean: 2.25, Support: 2.33, Directory: 0.15, Pair: 1.09, Committed: 1.40,
	InHand: -6.34,
}
