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

// Prior is the model that aOa ships with, one per moment.
func Prior() map[aoa.Moment]Model {
	return map[aoa.Moment]Model{
		aoa.MomentPrompt: {Weights: promptWeights, Scale: Scale{.76, .04}, Unseen: Scale{.76, .04}},
		aoa.MomentOpen:   {Weights: openWeights, Scale: Scale{.76, .04}, Unseen: Scale{.76, .04}},
		aoa.MomentChange: {Weights: changeWeights, Scale: Scale{4, -2}, Unseen: Scale{4, -2}},
	}
}

var promptWeights = Values{
	Bias: -1.38 - .76, RecencyDay: .17, Frequency: .30, Comod: .54, Session: .25, Words: .82, Named: 1.11,
	Mentioned: .97, Directory: .74, Pair: .78, Never: -.92, Opened: -1.64,
}

var openWeights = Values{
	Bias: -1.38, RecencyDay: .17, Frequency: .30, Comod: .54, Session: .25, Words: .82, Named: 1.11,
	Mentioned: .97, Directory: .74, Pair: .78, Never: -.92, Opened: -1.64,
}

var changeWeights = Values{Comod: 1, Pair: .1, Committed: .05, Directory: .02}
