package main

import (
	"cmp"
	"slices"

	"github.com/aoa-dev/aoa/scripts/recorded"
)

// Report is the outcome of an evaluation. Its JSON form is stable; docs/evaluation.md explains each field.
type Report struct {
	Repos   []Repo  `json:"repos"`
	Macro   Macro   `json:"macro"`
	Loses   []Loss  `json:"loses"` // where a baseline is better
	Latency Latency `json:"latency_ms"`
}

// Repo is the outcome of one repository.
type Repo struct {
	Name      string           `json:"name"`
	Counts    Counts           `json:"counts"`
	Tasks     Tasks            `json:"tasks"`
	Baselines map[string]Tasks `json:"baselines,omitempty"`
	Latency   Latency          `json:"latency_ms"`
}

// Macro is the mean over the repositories that had questions of a task, with 95 % intervals of a bootstrap over
// repositories and, within them, sessions or commits.
type Macro struct {
	Repos     int                              `json:"repos"`
	Tasks     Tasks                            `json:"tasks"`
	Baselines map[string]Tasks                 `json:"baselines,omitempty"`
	Intervals map[string]map[string][2]float64 `json:"intervals"`
}

// Tasks are the measures of each task. One without questions is left out.
type Tasks struct {
	T1          *Turn    `json:"T1,omitempty"`
	T2          *Hits    `json:"T2,omitempty"`
	T3          *Hits    `json:"T3,omitempty"`
	T4          *Hits    `json:"T4,omitempty"`
	T5          *Warning `json:"T5,omitempty"`
	T6          *Hits    `json:"T6,omitempty"`      // after a search that named no file
	T6Much      *Hits    `json:"T6_much,omitempty"` // after one that named more than 30
	Shown       *Shown   `json:"shown,omitempty"`
	ShownUnseen *Shown   `json:"shown_unseen,omitempty"`
	Lists       *Lists   `json:"lists,omitempty"`
	Saved       *Saved   `json:"saved,omitempty"`
}

// Turn is T1: n prompts, the share with one of the turn's files in the first five, the precision of these five,
// the recall of ten, and the mean reciprocal place of the first.
type Turn struct {
	N        int     `json:"n"`
	Any5     float64 `json:"any5"`
	P5       float64 `json:"p5"`
	Recall10 float64 `json:"recall10"`
	MRR      float64 `json:"mrr"`
}

// Hits is T2, T3, T4 or T6: the share of n files that stood among the first 1, 3, 5 and 10, and the mean reciprocal place.
type Hits struct {
	N     int     `json:"n"`
	Hit1  float64 `json:"hit1"`
	Hit3  float64 `json:"hit3"`
	Hit5  float64 `json:"hit5"`
	Hit10 float64 `json:"hit10"`
	MRR   float64 `json:"mrr"`
	After *Hits   `json:"after,omitempty"` // predicted right after the previous file event
	All   *Hits   `json:"all,omitempty"`   // among all files instead of those of the stratum
}

// Warning is T5.
type Warning struct {
	N           int     `json:"n"` // commits with one file withheld
	Complete    int     `json:"complete"`
	Warned      int     `json:"warned"` // files warned of in commits with one withheld
	Precision   float64 `json:"precision" of:"Warned"`
	Recall      float64 `json:"recall"`
	FalsePer100 float64 `json:"false_per_100"`
}

// Shown is what would be shown: its precision, the share of opens that were shown before, and how far confidence can
// be trusted.
type Shown struct {
	N           int     `json:"n"`
	Precision   float64 `json:"precision" of:"N"`
	Coverage    float64 `json:"coverage"`
	ECE         float64 `json:"ece"`
	Brier       float64 `json:"brier"`
	PerSession  float64 `json:"per_session"`
	Reliability []Bar   `json:"reliability"`
	Curve       []Point `json:"curve"`
	Ranked      *Trust  `json:"ranked,omitempty"` // what the ranking's own scores would have promised
}

// Trust is how far promises were kept.
type Trust struct {
	ECE         float64 `json:"ece"`
	Brier       float64 `json:"brier"`
	Reliability []Bar   `json:"reliability"`
}

// Bar is one bar of the reliability diagram: n promises from From to a tenth more, their mean, and the share kept.
type Bar struct {
	From float64 `json:"from"`
	N    float64 `json:"n"`
	P    float64 `json:"p"`
	Used float64 `json:"used"`
}

// Point is one threshold of the risk–coverage curve.
type Point struct {
	Threshold float64 `json:"threshold"`
	N         float64 `json:"n"`
	Precision float64 `json:"precision"`
	Coverage  float64 `json:"coverage"`
}

// Lists are the lists shown at prompts. A prompt counts as one with files if its turn opens a known file that the
// prompt does not name and the session has not opened.
type Lists struct {
	Prompts int     `json:"prompts"`          // with files
	Shown   float64 `json:"shown"`            // share of these with a list
	Right   float64 `json:"right" of:"Shown"` // share of these lists with a file that the turn opens
	Lines   float64 `json:"lines" of:"Shown"` // share of the lines of these lists that the turn opens
	Others  float64 `json:"others"`           // share of the other prompts with a list
}

// Saved is what showing could have been worth.
type Saved struct {
	Searches           int     `json:"searches"`
	PerSession         float64 `json:"searches_per_session"`
	ShareOfAllSearches float64 `json:"share"`
}

// Latency is the time of one ranking in milliseconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

// Loss is a number of the table in which a baseline beats aOa.
type Loss struct {
	Repo     string  `json:"repo"` // "macro" is the mean
	Task     string  `json:"task"`
	Metric   string  `json:"metric"`
	Value    float64 `json:"value"`
	Baseline string  `json:"baseline"`
	Best     float64 `json:"best"`
}

func report(sources []recorded.Source, scores []*score) *Report {
	r := &Report{Repos: []Repo{}, Loses: []Loss{}}
	var took []float64
	for i, s := range scores {
		repo := Repo{Name: sources[i].Name, Counts: s.Counts, Tasks: s.tasks(), Latency: latency(s.took)}
		for _, b := range names {
			if t := s.hits(b + "/"); t != (Tasks{}) {
				if repo.Baselines == nil {
					repo.Baselines = map[string]Tasks{}
				}
				repo.Baselines[b] = t
			}
		}
		r.Repos = append(r.Repos, repo)
		r.Loses = append(r.Loses, losses(repo.Name, repo.Tasks, repo.Baselines)...)
		took = append(took, s.took...)
	}
	r.Latency = latency(took)
	r.Macro = macro(r.Repos, scores)
	if len(r.Repos) > 1 {
		// [] in JSON, never null
		r.Loses = slices.Insert(r.Loses, 0, losses("macro", r.Macro.Tasks, r.Macro.Baselines)...)
	}
	return r
}

func latency(ms []float64) Latency {
	if len(ms) == 0 {
		return Latency{}
	}
	ms = slices.Sorted(slices.Values(ms))
	return Latency{ms[len(ms)/2], ms[len(ms)*99/100]}
}

// headline are the numbers in which aOa must not lose.
var headline = []struct {
	task, metric string
	of           func(Tasks) (float64, bool)
}{
	{"T1", "any5", func(t Tasks) (float64, bool) { return turnOf(t.T1).Any5, t.T1 != nil }},
	{"T1", "recall10", func(t Tasks) (float64, bool) { return turnOf(t.T1).Recall10, t.T1 != nil }},
	{"T2", "hit1", func(t Tasks) (float64, bool) { return hitsOf(t.T2).Hit1, t.T2 != nil }},
	{"T2", "hit5", func(t Tasks) (float64, bool) { return hitsOf(t.T2).Hit5, t.T2 != nil }},
	{"T3", "hit1", func(t Tasks) (float64, bool) { return hitsOf(t.T3).Hit1, t.T3 != nil }},
	{"T3", "hit5", func(t Tasks) (float64, bool) { return hitsOf(t.T3).Hit5, t.T3 != nil }},
	{"T4", "hit5", func(t Tasks) (float64, bool) { return hitsOf(t.T4).Hit5, t.T4 != nil }},
	{"T4", "mrr", func(t Tasks) (float64, bool) { return hitsOf(t.T4).MRR, t.T4 != nil }},
}

func turnOf(t *Turn) Turn {
	if t == nil {
		return Turn{}
	}
	return *t
}

func hitsOf(h *Hits) Hits {
	if h == nil {
		return Hits{}
	}
	return *h
}

// losses finds the best baseline of each headline number that beats aOa.
func losses(repo string, own Tasks, baselines map[string]Tasks) []Loss {
	var out []Loss
	for _, h := range headline {
		value, asked := h.of(own)
		best := Loss{Repo: repo, Task: h.task, Metric: h.metric, Value: value, Best: value}
		for _, b := range names {
			if v, ok := h.of(baselines[b]); ok && v > best.Best {
				best.Baseline, best.Best = b, v
			}
		}
		if asked && best.Baseline != "" {
			out = append(out, best)
		}
	}
	slices.SortStableFunc(out, func(a, b Loss) int { return cmp.Compare(b.Best-b.Value, a.Best-a.Value) })
	return out
}
