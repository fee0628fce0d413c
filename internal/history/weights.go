package history

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"sync"
)

// Weights turn facts into log odds. Each file of the change has its own evidence for another file:
// z = Σ weight·fact over the facts before Others. The largest z counts; the other files of the change
// may add to it, but never lower it:
//
//	log odds = Bias + Best·z + Low·max(0, z+2.5) + High·max(0, z+1)
//	           + Others·ln(1 + Σ over the other files 1/(1+e^−z)) + Alike·max(0, alike − z)
//	           + Alone·max(0, 1 − 1/(1+e^−z)/.8), only for a change of one file
//
// All weights but Bias are at least 0, except High for a change of one file.
type Weights struct {
	Pair   Facts   `json:"pair"` // Others and Alike are 0
	Bias   float64 `json:"bias"`
	Best   float64 `json:"best"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Others float64 `json:"others"`
	Alike  float64 `json:"alike"`
	Alone  float64 `json:"alone"`

	Missing Missing `json:"missing"`
}

// Missing has the weights for the log odds that a change is incomplete without a companion (see
// Companion.Missing).
type Missing struct {
	Bias     float64 `json:"bias"`
	Odds     float64 `json:"odds"`     // weight of the companion's log odds
	Files    float64 `json:"files"`    // weight of ln(number of files in the change), at most four files
	Ahead    float64 `json:"ahead"`    // weight of Companion.Ahead
	Foremost float64 `json:"foremost"` // weight of ln(1 + Companion.Foremost)
}

// mostCounted is the largest number of files of a change that lower the probability of a warning. A
// file that changes in nearly every commit of another one is missing no matter how many other files
// the change has.
const mostCounted = 4

// Values returns the values by which the weights of Missing are multiplied, in their order. logOdds
// are those of the companion; files is the number of files in the change.
func (c *Companion) Values(logOdds float64, files int) [5]float64 {
	return [5]float64{1, logOdds, math.Log(float64(min(files, mostCounted))), c.Ahead, math.Log1p(float64(c.Foremost))}
}

// Probability returns the probability that a change of that many files is incomplete without the
// companion.
func (m *Missing) Probability(c *Companion, logOdds float64, files int) float64 {
	x := c.Values(logOdds, files)
	return probability(m.Bias*x[0] + m.Odds*x[1] + m.Files*x[2] + m.Ahead*x[3] + m.Foremost*x[4])
}

// Bends has the z at which the line of log odds bends. They correspond to probabilities of .08 and
// .27.
var Bends = [2]float64{-2.5, -1}

// Z returns the evidence of one file of the change for another file.
func (w *Weights) Z(x *Facts) (z float64) {
	for i := Always; i < Others; i++ {
		z += w.Pair[i] * x[i]
	}
	return z
}

// Terms returns the contribution of each fact: LogOdds is their sum.
func (w *Weights) Terms(x *Facts) (out Facts) {
	slope, shift, z := w.Best, w.Bias, w.Z(x)
	for i, more := range [len(Bends)]float64{w.Low, w.High} {
		if z > Bends[i] {
			slope, shift = slope+more, shift-more*Bends[i]
		}
	}
	for i := Always; i < Others; i++ {
		out[i] = slope * w.Pair[i]
	}
	out[Always] += shift
	out[Others], out[Alike], out[Alone] = w.Others, w.Alike, w.Alone
	return out
}

// LogOdds returns the log odds of a file with these facts.
func (w *Weights) LogOdds(x *Facts) (sum float64) {
	terms := w.Terms(x)
	for i, v := range x {
		sum += terms[i] * v
	}
	return sum
}

// probability returns 1/(1+e^−z).
func probability(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

//go:embed weights.json
var shippedJSON []byte

// File is what the program reads of weights.json.
type File struct {
	// without Like and Words, for changes whose diffs are not known
	Weights  Weights `json:"weights"`
	Sketched Weights `json:"sketched"` // for changes with a known diff
	// For a single file whose diff is not known, but whose links to other files are.
	Alone Weights `json:"alone"`
}

// Shipped returns the weights that aOa ships with, for changes whose diffs are not known.
func Shipped() *Weights { return &shipped().Weights }

// ShippedSketched returns the weights for changes with a known diff.
func ShippedSketched() *Weights { return &shipped().Sketched }

// ShippedAlone returns the weights for a single file whose diff is not known, but whose links to
// other files are.
func ShippedAlone() *Weights { return &shipped().Alone }

// shipped returns weights.json, which scripts/dev/train makes.
var shipped = sync.OnceValue(func() *File {
	var f File
	if err := json.Unmarshal(shippedJSON, &f); err != nil {
		panic(fmt.Errorf("read the shipped weights of changes: %w", err)) // a test reads the same bytes
	}
	return &f
})
