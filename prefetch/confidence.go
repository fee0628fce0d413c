package prefetch

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

// Class is the kind of situation in which a file is predicted. Each class is calibrated on its own,
// because equal logits come true equally often only within a class.
type Class string

// The classes of predictions.
const (
	PromptNamed  Class = "prompt_named"  // at a prompt, a file that it names
	PromptBefore Class = "prompt_before" // at a prompt, a file that earlier words of the session named
	PromptOther  Class = "prompt"        // at a prompt, any other file
	OpenNamed    Class = "open_named"    // between calls, a file that the words of the session named
	OpenSeen     Class = "open_seen"     // between calls, a file that a tool's result named
	OpenUnseen   Class = "open_unseen"   // between calls, a file that nothing has named yet
	OfSearch     Class = "search"        // after a search that failed
	OfChange     Class = "change"        // a companion of a change
	OfText       Class = "text"          // a file for a text outside of a session
	OfBranch     Class = "branch"        // a question without a text, on a branch
)

// Classes returns all classes in a fixed order.
func Classes() []Class {
	return []Class{PromptNamed, PromptBefore, PromptOther, OpenNamed, OpenSeen, OpenUnseen, OfSearch, OfChange, OfText,
		OfBranch}
}

// Kind returns the kind of hint that shows files of the class, "" if none does. Hints show only
// files that nothing has named.
func (c Class) Kind() HintKind {
	switch c {
	case OpenUnseen:
		return Next
	case PromptOther:
		return Prompt
	case OfSearch:
		return Search
	case OfChange:
		return Partner
	}
	return ""
}

// classOf returns the class of a file in the answer to a question.
func classOf(q event.Query, f rank.Scored) Class {
	m := rank.TaskOf(q)
	switch {
	case rank.AsksBranch(q):
		return OfBranch
	case m == event.TaskSearch:
		return OfSearch
	case m == event.TaskPrompt && q.Session == "":
		return OfText
	case m == event.TaskPrompt && f.Values()[rank.Named] > 0:
		return PromptNamed
	case m == event.TaskPrompt && f.InWords():
		return PromptBefore
	case m == event.TaskPrompt:
		return PromptOther
	case f.InWords():
		return OpenNamed
	case f.Unseen:
		return OpenUnseen
	}
	return OpenSeen
}

// FileFeatures are the features that turn a file's logit into a probability. A ranking tells which
// file comes first; how often the first one is really opened also depends on the class, on its
// distance to the other files, on how probable the others are, and on how many files are already
// open.
type FileFeatures struct {
	Class  Class
	Logit  float64
	First  float64 // 1 for the first file of the ranking, else 0
	Ahead  float64 // for the first file: its logit minus that of the second, at most 3
	Behind float64 // for any other file: its logit minus that of the first, at least −3
	Mass   float64 // ln(1 + the sum of all scores of the ranking)
	Opened float64 // rank.Scored.Opened
}

// FileFeaturesOf returns the features of the files of a ranking, in its order.
func FileFeaturesOf(q event.Query, ranked []rank.Scored) []FileFeatures {
	mass := 0.0
	for _, f := range ranked {
		mass += f.Score
	}
	mass = math.Log1p(mass)
	out := make([]FileFeatures, 0, len(ranked))
	for i, f := range ranked {
		c := FileFeatures{Class: classOf(q, f), Logit: f.Logit, Mass: mass, Opened: f.Opened()}
		if i > 0 {
			c.Behind = max(f.Logit-ranked[0].Logit, -3)
		} else if c.First = 1; len(ranked) > 1 {
			c.Ahead = min(f.Logit-ranked[1].Logit, 3)
		} else {
			c.Ahead = 3
		}
		out = append(out, c)
	}
	return out
}

// Confidence turns features into probabilities: log odds = slope·logit + shift, both of the class,
// plus the weighted other features.
type Confidence struct {
	// slope and shift; a class without an entry keeps the scale of the ranking
	Classes map[Class]rank.Scale `json:"classes"`
	First   float64              `json:"first"`
	Ahead   float64              `json:"ahead"`
	Behind  float64              `json:"behind"`
	Mass    float64              `json:"mass"`
	Opened  float64              `json:"opened"`
	List    ListModel            `json:"list"`   // for lists at prompts
	Search  ListModel            `json:"search"` // for lists after a search that failed
}

// list returns the model for the lists of a kind.
func (c *Confidence) list(k HintKind) ListModel {
	if k == Search {
		return c.Search
	}
	return c.List
}

// scale returns a and b in a file's probability 1/(1+e^-(a·logit+b)). A class without an entry has
// the scale of the ranking.
func (c *Confidence) scale(x *FileFeatures) rank.Scale {
	s, ok := c.Classes[x.Class]
	if !ok {
		return rank.Uncalibrated
	}
	s[1] += c.First*x.First + c.Ahead*x.Ahead + c.Behind*x.Behind + c.Mass*x.Mass + c.Opened*x.Opened
	return s
}

// Probability returns the probability of a file with these features by the weights of c, without
// what this repository has taught.
func (c *Confidence) Probability(x FileFeatures) float64 { return c.scale(&x).Probability(x.Logit) }

// Candidates returns the files of a ranking, the most probable first. own is what outcomes in this
// repository have taught.
func (c *Confidence) Candidates(q event.Query, ranked []rank.Scored, own Intercepts) []Candidate {
	out := make([]Candidate, 0, len(ranked))
	for i, x := range FileFeaturesOf(q, ranked) {
		f := ranked[i]
		v := f.Values()
		p := Candidate{Place: i, File: f.File, Class: x.Class, Unseen: f.Unseen, Named: v[rank.Named] > 0,
			Text: v[rank.TextShare], Terms: f.Terms()}
		p.Scale = c.scale(&x)
		p.Shipped = p.Scale.Probability(f.Logit)
		p.Scale = own.adjust(x.Class, p.Scale)
		p.P = p.Scale.Probability(f.Logit)
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return cmp.Compare(b.P, a.P) })
	return out
}

//go:embed confidence.json
var shippedJSON []byte

// Shipped returns the Confidence in confidence.json, which scripts/dev/train makes and aOa ships
// with.
var Shipped = sync.OnceValue(func() *Confidence {
	var f struct{ Confidence Confidence }
	if err := json.Unmarshal(shippedJSON, &f); err != nil {
		panic(fmt.Errorf("read the shipped confidence: %w", err)) // a test reads the same bytes
	}
	return &f.Confidence
})
