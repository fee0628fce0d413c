package prefetch

import (
	"math"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/rank"
)

// At a prompt the unit of a decision is a short list. One file rarely reaches Floor there, and the files' outcomes depend on each
// other: what counts is whether the turn opens at least one of them.

// The bounds of a list.
const (
	ListTokens    = 120  // at most, of a list's text
	ListThreshold = 0.55 // default of the setting threshold.prompt: the probability that one file is right, if the turn opens any

	leastOpens  = 0.35 // below this probability that the turn opens a file of the repository at all, nothing is shown
	leastListed = 0.05 // files below this probability are left out
	leastShadow = 0.10 // a list that is not shown is logged from this probability on that one of its files is opened
	shortPrompt = 3    // words: "yes", "commit this"
	mostSure    = 0.99 // a file's probability, if the turn opens files, is shown as at most this
	listAim     = 0.65 // share of shown lists with a right file, of those whose turn opened one; the threshold adapts to it
)

// What a list costs and spares, in tokens of input at full price. A text is written to the prompt cache once and read at a tenth
// of the price by each later request of the conversation, some 20 of them. A search costs a request that reads the conversation
// again, and its result. In recordings of thirteen repositories a turn searches 1.9 times before it opens its first file.
const (
	written      = 1.25
	read         = 0.1
	carried      = written + read*20
	searchTokens = 1000.0 // of the results of a search alone
	sparedSearch = 1.9 * searchTokens
)

// errand reports whether a prompt only asks to commit or push what was done: its turn opens nothing.
func errand(prompt string) bool {
	low := strings.ToLower(prompt)
	return (strings.Contains(low, "commit") || strings.Contains(low, "push")) && index.OnlyAgrees(prompt)
}

// ListFeatures are what tells how likely a list is right.
type ListFeatures struct {
	Turn  float64 `json:"turn,omitempty"`  // ln(1 + earlier prompts of the session)
	Words float64 `json:"words,omitempty"` // ln(1 + words of the prompt)
	Short float64 `json:"short,omitempty"` // 1 for a prompt of at most 3 words
	First float64 `json:"first,omitempty"` // log odds of the likeliest file
	Any   float64 `json:"any,omitempty"`   // log odds of 1 − Π(1−p), p the files' probabilities as shipped
	Text  float64 `json:"text,omitempty"`  // the best signal text_share among the files
}

// Values are the features in the order of their fields.
func (f ListFeatures) Values() []float64 {
	return []float64{f.Turn, f.Words, f.Short, f.First, f.Any, f.Text}
}

// ListFeaturesOf describes a list for a prompt. turn is the number of earlier prompts of the session.
func ListFeaturesOf(q event.Query, turn int, files []Prediction) ListFeatures {
	words := len(strings.Fields(q.Prompt))
	f := ListFeatures{Turn: math.Log1p(float64(max(turn, 0))), Words: math.Log1p(float64(words)), Short: truth(words <= shortPrompt), First: logOdds(0), Any: logOdds(0)}
	none := 1.0
	for i, x := range files {
		if i == 0 {
			f.First = logOdds(x.Shipped)
		}
		none *= 1 - x.Shipped
		f.Text = max(f.Text, x.Text)
	}
	if len(files) > 0 {
		f.Any = logOdds(1 - none)
	}
	return f
}

// ListModel estimates two probabilities by logistic regression, fitted by internal/eval/train on recorded prompts.
type ListModel struct {
	Opens ListWeights `json:"opens"` // the turn opens a file of the repository that it has not opened and that the prompt does not name
	Right ListWeights `json:"right"` // one of the list is opened, if the turn opens any
}

// ListWeights are the weights of one estimate.
type ListWeights struct {
	Bias float64 `json:"bias"`
	ListFeatures
}

// Probability is 1/(1+e^-z), z the bias and the weighted sum of the features.
func (w ListWeights) Probability(f ListFeatures) float64 {
	z := w.Bias
	weights := w.Values()
	for i, v := range f.Values() {
		z += weights[i] * v
	}
	return rank.Scale{1, 0}.Probability(z)
}

// Listed are the files of a ranking that a list names: the first MaxFiles that the prompt itself does not name and that skip does
// not refuse; nil skips none.
func Listed(predictions []Prediction, skip func(event.Path) bool) []Prediction {
	var out []Prediction
	for _, x := range predictions {
		if len(out) == MaxFiles || x.P < leastListed {
			break
		}
		if !x.Named && (skip == nil || !skip(x.File)) {
			out = append(out, x)
		}
	}
	return out
}

// ListEstimate is how likely a list helps.
type ListEstimate struct {
	Opens float64 // the turn opens files
	Right float64 // one of the list is among them, if it does
}

// Any is the probability that at least one file of the list is opened in the turn.
func (e ListEstimate) Any() float64 { return e.Opens * e.Right }

// Says reports whether a list is worth showing from a threshold on, at a cost in tokens of its text.
func (e ListEstimate) Says(threshold float64, tokens int) bool {
	return e.Right >= threshold && e.Opens >= leastOpens && e.Any()*sparedSearch >= float64(tokens)*carried
}

// Estimate is how likely a list helps.
func (m ListModel) Estimate(f ListFeatures) ListEstimate {
	return ListEstimate{Opens: m.Opens.Probability(f), Right: m.Right.Probability(f)}
}

// Choose makes the list for a prompt out of predictions, the likeliest first, and estimates it. turn is the number of earlier prompts of
// the session; see Listed for skip.
func (m ListModel) Choose(q event.Query, turn int, predictions []Prediction, skip func(event.Path) bool) ([]Prediction, ListEstimate) {
	files := Listed(predictions, skip)
	return files, m.Estimate(ListFeaturesOf(q, turn, files))
}
