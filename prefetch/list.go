package prefetch

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/rank"
)

// At a prompt the decision is about a short list. One file rarely reaches Floor there, and the
// outcomes of the files depend on each other: what counts is whether the turn opens at least one of
// them.

// The bounds of a list.
const (
	// below this probability that the turn opens a file of the repository at all, a silent list
	// says so: "idle"
	leastOpens   = 0.35
	leastListed  = 0.05 // files below this probability are left out
	leastOfFirst = 0.2  // and files below this share of the first one's
	// Lines below this share of the first one's probability are not said at the first two prompts:
	// a fixed cut at .20 loses .13 of the lists with a right file there. It loses none at later
	// prompts.
	leastLine   = 0.4
	leastLater  = 0.20 // probability of a line at a later prompt, if the turn opens any file; the first line has none
	laterPrompt = 2    // earlier prompts
	leastShadow = 0.10 // a list that is not shown is logged from this probability on that one of its files is opened
	mostErrand  = 10   // words of a prompt that speaks of a commit
	mostSure    = 0.99 // a file's probability, if the turn opens files, is shown as at most this
	// share of shown lists with a right file, of those whose turn opened one; the threshold adapts
	// to it
	listAim = 0.65

	// A list is shown from this probability on that one of its files is opened: then it is expected
	// to spare three and a half times the 120 tokens that it has at most. In recordings of thirteen
	// repositories a turn searches 1.9 times before it opens its first file, and the result of a
	// search has about 1,000 tokens. Later requests carry these results as they carry the list, so
	// that the price of that is no part of the comparison. What exceeds 1 is for reading a wrong
	// list. On repositories left out of the fit, 3.5 keeps lists to .14 of the prompts whose turn
	// opens nothing.
	leastAny = 3.5 * 120 / (1.9 * 1000)
)

// errand reports whether a turn is expected to open nothing: its prompt only says something like
// "yes, commit", or it is one or two words, or a few words about a commit or a push. In recordings
// one of seven such turns opens a file. Words outside of ASCII are not counted, because not every
// script has spaces.
func errand(prompt string) bool {
	n := len(strings.Fields(prompt))
	short := n <= 2 && !strings.ContainsFunc(prompt, func(r rune) bool { return r > unicode.MaxASCII })
	return n > 0 && (short || n <= mostErrand && commits.MatchString(prompt) || index.OnlyAgrees(prompt))
}

var commits = regexp.MustCompile(`(?i)\b(?:commit|push)\b`)

// SituationOf returns the situation of a prompt; "" is the situation of a search.
func SituationOf(prompt string, t Turn) Situation {
	switch {
	case errand(prompt) || t.Prompts > 0 && event.Brief(prompt):
		return Agrees
	case prompt == "":
		return Later
	case strings.Contains(prompt, "?"):
		return Asks
	case t.Prompts == 0:
		return FirstTask
	}
	return Later
}

// Turn has what a session knows of the turn that a prompt begins.
type Turn struct {
	Prompts int  // earlier prompts
	Named   bool // the prompt names files of the repository
}

// ListFeatures are the features from which the probability is estimated that a list is right.
type ListFeatures struct {
	Turn  float64 `json:"turn,omitempty"`  // ln(1 + earlier prompts of the session)
	Words float64 `json:"words,omitempty"` // ln(1 + words of the prompt)
	Short float64 `json:"short,omitempty"` // 1 for a brief prompt
	First float64 `json:"first,omitempty"` // log odds of the likeliest file
	Any   float64 `json:"any,omitempty"`   // log odds of 1 − Π(1−p), p the files' probabilities as shipped
	Text  float64 `json:"text,omitempty"`  // the best signal text_share among the files
	Terms float64 `json:"terms,omitempty"` // the best signal terms among the files
	Named float64 `json:"named,omitempty"` // 1 for a prompt that names files
}

// Values are the features in the order of their fields.
func (f ListFeatures) Values() []float64 {
	return []float64{f.Turn, f.Words, f.Short, f.First, f.Any, f.Text, f.Terms, f.Named}
}

// ListFeaturesOf describes a list for a prompt.
func ListFeaturesOf(q event.Query, t Turn, files []Candidate) ListFeatures {
	words := len(strings.Fields(q.Prompt))
	f := ListFeatures{Turn: math.Log1p(float64(max(t.Prompts, 0))), Words: math.Log1p(float64(words)),
		Short: truth(event.Brief(q.Prompt)), First: logOdds(0),
		Any: logOdds(0), Named: truth(t.Named)}
	none := 1.0
	for i, x := range files {
		if i == 0 {
			f.First = logOdds(x.Shipped)
		}
		none *= 1 - x.Shipped
		f.Text, f.Terms = max(f.Text, x.Text), max(f.Terms, x.Terms)
	}
	if len(files) > 0 {
		f.Any = logOdds(1 - none)
	}
	return f
}

// ListModel estimates two probabilities by logistic regression, fitted by scripts/dev/train on
// recorded prompts.
type ListModel struct {
	// the turn opens a file of the repository that it has not opened and that the prompt does not
	// name
	Opens ListWeights `json:"opens"`
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

// Listed are the files of a ranking that a list names: the first MaxFiles that the prompt itself
// does not name and that skip does not refuse, without a weak tail; nil skips none.
func Listed(predictions []Candidate, skip func(event.Path) bool) []Candidate {
	var out []Candidate
	for _, x := range predictions {
		if len(out) == MaxFiles || x.P < leastListed || len(out) > 0 && x.P < leastOfFirst*out[0].P {
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
	At    Situation
}

// Any is the probability that at least one file of the list is opened in the turn.
func (e ListEstimate) Any() float64 { return e.Opens * e.Right }

// Says reports whether a list is worth showing at a threshold of Right, which is lower in some
// situations.
func (e ListEstimate) Says(threshold float64) bool {
	return e.Right >= threshold-easier[e.At] && e.Any() >= leastAny
}

// Estimate is how likely a list helps.
func (m ListModel) Estimate(f ListFeatures) ListEstimate {
	return ListEstimate{Opens: m.Opens.Probability(f), Right: m.Right.Probability(f)}
}

// Choose makes the list for a prompt out of predictions, the likeliest first, and estimates it; an
// errand gets none. A list is never right where the words of the prompt lead to none of its files.
// See Listed for skip.
func (m ListModel) Choose(q event.Query, t Turn, predictions []Candidate, skip func(event.Path) bool) ([]Candidate,
	ListEstimate) {
	at := SituationOf(q.Prompt, t)
	if at == Agrees {
		return nil, ListEstimate{At: at}
	}
	files := Listed(predictions, skip)
	f := ListFeaturesOf(q, t, files)
	e := m.Estimate(f)
	e.At = at
	unknown := q.Prompt != "" && f.Text == 0 && f.Terms == 0
	if unknown || len(files) == 0 {
		e.Right = 0
	}
	if len(files) == 0 {
		return nil, e
	}
	least := leastLine * files[0].P
	if t.Prompts >= laterPrompt {
		least = leastLater * e.Opens
	}
	return lines(files, least, q.Prompt), e
}

// lines returns the files of a list that are named: the first, and those with at least the
// probability least; sources before tests, unless the prompt is about tests.
func lines(files []Candidate, least float64, prompt string) []Candidate {
	for len(files) > 1 && files[len(files)-1].P < least {
		files = files[:len(files)-1]
	}
	if !slices.Contains(index.Terms(prompt, event.MaxTerms), "test") {
		slices.SortStableFunc(files, func(a, b Candidate) int {
			return cmp.Compare(truth(index.KindOf(a.File) == index.KindTest), truth(index.KindOf(b.File) == index.KindTest))
		})
	}
	return files
}
