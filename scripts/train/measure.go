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
	"github.com/aoa-dev/aoa/scripts/recorded"
)

// tally adds up measures of one repository, by session or commit: questions of one are alike, so intervals are drawn
// from them.
type tally map[string]map[string]recorded.Ratio

func (t tally) add(measure, session string, sum, n float64) {
	if t[measure] == nil {
		t[measure] = map[string]recorded.Ratio{}
	}
	r := t[measure][session]
	t[measure][session] = recorded.Ratio{Sum: r.Sum + sum, N: r.N + n}
}

// clusters are the sums of a measure in a fixed order, and their total.
func (t tally) clusters(measure string) (out []recorded.Ratio, all recorded.Ratio) {
	for _, session := range slices.Sorted(maps.Keys(t[measure])) {
		r := t[measure][session]
		out, all = append(out, r), recorded.Ratio{Sum: all.Sum + r.Sum, N: all.N + r.N}
	}
	return out, all
}

// measure counts what the weights reach on one repository: T1 any of 5, recall of 10, MRR · T2, T3 hit at 1, 5, MRR.
func (m *weights) measure(s *set, repo int) tally {
	t := tally{}
	for i := range s.Questions {
		q := &s.Questions[i]
		if q.Repo != repo || q.After || q.Truth == 0 {
			continue
		}
		switch q.Moment {
		case event.TaskPrompt:
			t.list(q, m.order(q, answer))
		case event.TaskNext:
			t.single("T2", q, m.order(q, unseen), q.Unseen)
			t.single("T3", q, m.order(q, func(f *file) bool { return f.Seen && !f.Out }), q.Truth-q.Unseen)
		}
	}
	if t["T3.mrr"] == nil { // no results are recorded: every open counts as unseen
		maps.DeleteFunc(t, func(measure string, _ map[string]recorded.Ratio) bool {
			return strings.HasPrefix(measure,
				"T2.")
		})
	}
	return t
}

func (t tally) list(q *question, order []int) {
	in5, in10, first := 0.0, 0.0, 0.0
	for r, i := range order {
		if !q.Files[i].Target {
			continue
		}
		if r < 5 {
			in5 = 1
		}
		if r < 10 {
			in10++
		}
		if first == 0 {
			first = 1 / float64(1+r)
		}
	}
	t.add("T1.any5", q.Session, in5, 1)
	t.add("T1.recall10", q.Session, in10/float64(q.Truth), 1)
	t.add("T1.mrr", q.Session, first, 1)
}

func (t tally) single(task string, q *question, order []int, truths int) {
	if truths == 0 {
		return
	}
	one, five, mrr := 0.0, 0.0, 0.0
	for r, i := range order {
		if q.Files[i].Target {
			one, five, mrr = one+truth(r < 1), five+truth(r < 5), mrr+1/float64(1+r)
		}
	}
	t.add(task+".hit1", q.Session, one, float64(truths))
	t.add(task+".hit5", q.Session, five, float64(truths))
	t.add(task+".mrr", q.Session, mrr, float64(truths))
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// leaveOneOut fits on all repositories, and without each in turn. Every fit chooses its signals by itself.
func leaveOneOut(s *set, texts []fittedGroup) (all *weights, fitted []*weights) {
	all = fitOn(s, everything, texts, nil)
	fitted = make([]*weights, len(s.Repos))
	// fitting does not fail
	_ = recorded.Each(context.Background(), len(s.Repos), func(_ context.Context, repo int) error {
		fitted[repo] = fitOn(s, func(r int) bool { return r != repo }, texts, all)
		return nil
	})
	return all, fitted
}

// measureLeft measures on each repository with the weights that were fitted without it: by repository, the means of
// those that have the measure ("macro"), and the 95 % intervals of the means ("low", "high"). It prints them, too.
func measureLeft(s *set, fitted []*weights) map[string]map[string]float64 {
	low, high, macro := map[string]float64{}, map[string]float64{}, map[string]float64{}
	out := map[string]map[string]float64{"macro": macro, "low": low, "high": high}
	clusters, having := map[string][][]recorded.Ratio{}, map[string]float64{}
	for repo, name := range s.Repos {
		m, t := map[string]float64{}, fitted[repo].measure(s, repo)
		fitted[repo].shown(s, repo, m)
		for k, v := range m {
			macro[k] += v
			having[k]++
		}
		for measure := range t {
			of, all := t.clusters(measure)
			if all.N == 0 {
				continue
			}
			m[measure] = all.Sum / all.N
			if task, mrr := strings.CutSuffix(measure, ".mrr"); mrr {
				m[task+".n"] = all.N
			}
			macro[measure] += m[measure]
			having[measure]++
			clusters[measure] = append(clusters[measure], of)
		}
		out[name] = m
	}
	for measure, n := range having {
		macro[measure] /= n
	}
	for measure, of := range clusters {
		between := recorded.Interval(of)
		low[measure], high[measure] = between[0], between[1]
	}
	for _, m := range out {
		for k, v := range m {
			m[k] = round(v)
		}
	}
	for _, name := range append([]string{"macro", "low", "high"}, s.Repos...) {
		line(short(name), out[name])
	}
	return out
}

func line(label string, m map[string]float64) {
	fmt.Fprintf(os.Stderr,
		"%-28s T1 %.3f/%.3f/%.3f  T2 %.3f/%.3f/%.3f  T3 %.3f/%.3f/%.3f  shown ECE %.3f .60 %.2f (%.0f) .75 %.2f (%.0f)\n", label,
		m["T1.any5"], m["T1.recall10"], m["T1.mrr"], m["T2.hit1"], m["T2.hit5"], m["T2.mrr"], m["T3.hit1"], m["T3.hit5"], m["T3.mrr"],
		m["shown.ece"], m["shown.60.precision"], m["shown.60.n"], m["shown.75.precision"], m["shown.75.n"])
}

// fileOf puts weights fitted on every repository into a file.
func fileOf(s *set, all *weights) rank.File {
	out := all.file(s)
	out.About = "Fitted by scripts/train on recorded sessions of agents in twenty-eight public repositories and their histories, and on the commit messages of public histories; " +
		"measured.json holds what weights reach on a repository that they were not fitted on, their signals included, the mean of all (macro) and its 95 % interval (low, high)."
	out.Command = "make train"
	out.Questions = len(s.Questions)
	return out
}

func round(x float64) float64 { return math.Round(x*1000) / 1000 }
