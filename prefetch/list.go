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

// At a prompt the decision is about a short list. A single file rarely reaches Floor there, and the
// outcomes of the files depend on each other: what counts is whether the turn opens at least one of
// them.

// Limits of a list.
const (
	// If the probability that the turn opens any file of the repository is below this, a list that
	// is not shown gets the reason "idle".
	leastOpens   = 0.35
	leastListed  = 0.05 // files below this probability are left out
	leastOfFirst = 0.2  // files below this share of the first one's probability are left out, too
	// At the first two prompts, files below this share of the first one's probability are not
	// named. A fixed limit of .20 would lose .13 of the lists with a right file there; at later
	// prompts it loses none.
	leastLine = 0.4
	// At later prompts, the least probability of a named file, if the turn opens any file; the
	// first file is always named.
	leastLater  = 0.20
	laterPrompt = 2 // a prompt after at least this many earlier ones is a later one
	// A list that is not shown is logged if one of its files is opened with at least this
	// probability.
	leastShadow = 0.10
	mostErrand  = 10   // a prompt about a commit has at most this many words
	mostSure    = 0.99 // the highest probability that is shown for a file
	// The share of shown lists that should have a right file, among those whose turn opened one.
	// The threshold adapts to it.
	listAim = 0.65

	// A list is shown if the probability that one of its files is opened is at least this. Then it
	// is expected to save three and a half times its own tokens, which are at most 120. In
	// recordings of thirteen repositories a turn makes 1.9 searches before it opens its first file,
	// and the result of a search has about 1,000 tokens. Later requests carry these results as they
	// carry the list, so that cost is the same on both sides. The factor is above 1 because an
	// agent also has to read wrong lists. On repositories left out of the fit, 3.5 shows lists at
	// .14 of the prompts whose turn opens nothing.
	leastAny = 3.5 * 120 / (1.9 * 1000)
)

// errand reports whether a turn is expected to open no file: its prompt only agrees ("yes,
// commit"), has one or two words, or has a few words about a commit or a push. In recordings one of
// seven such turns opens a file. Prompts with characters outside of ASCII are never short, because
// not every script has spaces.
func errand(prompt string) bool {
	n := len(strings.Fields(prompt))
	short := n <= 2 && !strings.ContainsFunc(prompt, func(r rune) bool { return r > unicode.MaxASCII })
	return n > 0 && (short || n <= mostErrand && commits.MatchString(prompt) || index.OnlyAgrees(prompt))
}

var commits = regexp.MustCompile(`(?i)\b(?:commit|push)\b`)

// SituationOf returns the situation of a prompt. "" is the prompt of a search.
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

// Turn has what a session knows about the turn that a prompt begins.
type Turn struct {
	Prompts int  // number of earlier prompts
	Named   bool // the prompt names files of the repository
}

// ListFeatures are the features by which ListModel estimates whether a list is right.
type ListFeatures struct {
	Turn  float64 `json:"turn,omitempty"`  // ln(1 + earlier prompts of the session)
	Words float64 `json:"words,omitempty"` // ln(1 + words of the prompt)
	Short float64 `json:"short,omitempty"` // 1 for a brief prompt
	First float64 `json:"first,omitempty"` // log odds of the most probable file
	Any   float64 `json:"any,omitempty"`   // log odds of 1 − Π(1−p) over the files' shipped probabilities p
	Text  float64 `json:"text,omitempty"`  // highest value of the signal text_share among the files
	Terms float64 `json:"terms,omitempty"` // highest value of the signal terms among the files
	Named float64 `json:"named,omitempty"` // 1 if the prompt names files
}

// Values returns the features in the order of the fields.
func (f ListFeatures) Values() []float64 {
	return []float64{f.Turn, f.Words, f.Short, f.First, f.Any, f.Text, f.Terms, f.Named}
}

// ListFeaturesOf returns the features of a list for a prompt.
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

// ListModel estimates two probabilities by logistic regression. scripts/dev/train fits it on
// recorded prompts.
type ListModel struct {
	// Opens is for the probability that the turn opens a file of the repository that it has not
	// opened before and that the prompt does not name.
	Opens ListWeights `json:"opens"`
	Right ListWeights `json:"right"` // one file of the list is opened, if the turn opens any
}

// ListWeights are the weights for one of the two probabilities.
type ListWeights struct {
	Bias float64 `json:"bias"`
	ListFeatures
}

// Probability returns 1/(1+e^-z), where z is the bias plus the weighted sum of the features.
func (w ListWeights) Probability(f ListFeatures) float64 {
	z := w.Bias
	weights := w.Values()
	for i, v := range f.Values() {
		z += weights[i] * v
	}
	return rank.Scale{1, 0}.Probability(z)
}

// Listed returns the files of a ranking that a list has: the first MaxFiles that the prompt does
// not name and for which skip is false, without files that are much less probable. skip may be nil.
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

// ListEstimate tells how probable it is that a list helps.
type ListEstimate struct {
	Opens float64 // probability that the turn opens files
	Right float64 // probability that one file of the list is among them, if it does
	At    Situation
}

// Any returns the probability that the turn opens at least one file of the list.
func (e ListEstimate) Any() float64 { return e.Opens * e.Right }

// Says reports whether a list is worth showing. threshold is for Right; in some situations it is
// lowered.
func (e ListEstimate) Says(threshold float64) bool {
	return e.Right >= threshold-easier[e.At] && e.Any() >= leastAny
}

// Estimate returns how probable it is that a list with these features helps.
func (m ListModel) Estimate(f ListFeatures) ListEstimate {
	return ListEstimate{Opens: m.Opens.Probability(f), Right: m.Right.Probability(f)}
}

// Choose makes the list for a prompt from predictions, which are ordered by probability, and
// estimates it. An errand gets no list. The estimate Right is 0 if the words of the prompt lead to
// none of the files. For skip see Listed.
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

// lines returns the files of a list that are named: the first one, and those with at least the
// probability least. Sources come before tests, unless the prompt is about tests.
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
