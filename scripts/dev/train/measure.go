package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// measure measures weights on one repository: for T1 any of 5, recall of 10 and MRR, for T2 and T3
// hit at 1, hit at 5 and MRR.
func (m *weights) measure(s *set, repo int, t *recorded.Table) {
	seen := false // The recording has no results of calls, so every open counts as unseen.
	for i := range s.Questions {
		q := &s.Questions[i]
		seen = seen || q.Repo == repo && q.Task == event.TaskOpen && !q.After && q.Truth > q.Unseen
	}
	for i := range s.Questions {
		q := &s.Questions[i]
		add := func(measure string, sum, n float64) { t.Add(recorded.Own, measure, s.Repos[repo], q.Session, sum, n) }
		switch {
		case q.Repo != repo || q.After || q.Truth == 0:
		case q.Task == event.TaskPrompt:
			q.list(m.order(q, answer), add)
		case seen && q.Task == event.TaskOpen:
			q.single("T2", m.order(q, unseen), q.Unseen, add)
			q.single("T3", m.order(q, func(f *file) bool { return f.Seen && !f.Out }), q.Truth-q.Unseen, add)
		case q.Task == event.TaskSearch:
			q.search(m.order(q, yes), add)
		}
	}
}

func (q *question) list(order []int, add func(measure string, sum, n float64)) {
	in5, in10, first := 0.0, 0.0, 0.0
	for r, i := range order[:min(len(order), 10)] {
		if !q.Files[i].Target {
			continue
		}
		if in10++; r < 5 {
			in5 = 1
		}
		if first == 0 {
			first = 1 / float64(1+r)
		}
	}
	add("T1.any5", in5, 1)
	add("T1.recall10", in10/float64(q.Truth), 1)
	add("T1.mrr", first, 1)
}

func (q *question) single(task string, order []int, truths int, add func(measure string, sum, n float64)) {
	if truths == 0 {
		return
	}
	one, five, mrr := 0.0, 0.0, 0.0
	for r, i := range order {
		if q.Files[i].Target {
			one, five, mrr = one+truth(r < 1), five+truth(r < 5), mrr+1/float64(1+r)
		}
	}
	add(task+".hit1", one, float64(truths))
	add(task+".hit5", five, float64(truths))
	add(task+".mrr", mrr, float64(truths))
}

func (q *question) search(order []int, add func(measure string, sum, n float64)) {
	place := slices.IndexFunc(order, func(i int) bool { return q.Files[i].Target })
	add("T6.hit1", truth(place == 0), 1)
	add("T6.hit5", truth(place >= 0 && place < 5), 1)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// leaveOneOut fits on all repositories, and once for each owner without that owner.
func leaveOneOut(s *set) (all *weights, fitted []*weights) {
	all = fitOn(s, everything, nil)
	byOwner := map[string]*weights{}
	for _, name := range s.Repos {
		byOwner[ownerOf(name)] = nil
	}
	owners := slices.Sorted(maps.Keys(byOwner))
	fitted = make([]*weights, len(s.Repos))
	// fitting never fails
	_ = recorded.Each(context.Background(), len(owners), func(_ context.Context, i int) error {
		w := fitOn(s, func(r int) bool { return ownerOf(s.Repos[r]) != owners[i] }, all)
		for repo, name := range s.Repos {
			if ownerOf(name) == owners[i] {
				fitted[repo] = w
			}
		}
		return nil
	})
	return all, fitted
}

// measureLeft measures on each repository with the weights that were fitted without its owner. It
// prints and returns the measures by repository, and under "macro", "low" and "high" the means over
// the repositories that have the measure, with their 95 % intervals.
func measureLeft(s *set, fitted []*weights) map[string]map[string]float64 {
	var t recorded.Table
	out := map[string]map[string]float64{"macro": {}, "low": {}, "high": {}}
	for repo, name := range s.Repos {
		fitted[repo].measure(s, repo, &t)
		out[name] = map[string]float64{}
	}
	for _, m := range t.Measures(recorded.Own) {
		in := t.Interval(recorded.Own, m)
		out["macro"][m], out["low"][m], out["high"][m] = round(t.Mean(recorded.Own, m)), round(in[0]), round(in[1])
		for name, r := range t.Repos(recorded.Own, m) {
			out[name][m] = round(r.Value())
			if task, mrr := strings.CutSuffix(m, ".mrr"); mrr {
				out[name][task+".n"] = r.N
			}
		}
	}
	for _, name := range append([]string{"macro", "low", "high"}, s.Repos...) {
		line(short(name), out[name])
	}
	return out
}

func line(label string, m map[string]float64) {
	fmt.Fprintf(os.Stderr, "%-28s T1 %.3f/%.3f/%.3f  T2 %.3f/%.3f/%.3f  T3 %.3f/%.3f/%.3f  T6 %.3f/%.3f\n", label,
		m["T1.any5"],
		m["T1.recall10"], m["T1.mrr"], m["T2.hit1"], m["T2.hit5"], m["T2.mrr"], m["T3.hit1"], m["T3.hit5"], m["T3.mrr"],
		m["T6.hit1"], m["T6.hit5"])
}

// rankFile is the content of rank/weights.json.
type rankFile struct {
	origin
	Questions int `json:"questions"` // number of questions that it was fitted on
	rank.File
}

// fileOf puts weights fitted on every repository into a file.
func fileOf(s *set, all *weights) rankFile {
	out := rankFile{File: all.file(s)}
	out.About = "Fitted by scripts/dev/train on recorded sessions of agents in twenty-eight public repositories and " +
		"their histories, and on the commit messages of public histories; measured.json holds what weights reach on a " +
		"repository that they were not fitted on, the mean of all (macro) and its 95 % interval (low, high)."
	out.Command = "make train"
	out.Questions = len(s.Questions)
	return out
}

func round(x float64) float64 { return math.Round(x*1000) / 1000 }
