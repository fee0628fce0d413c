package main

import (
	"maps"
	"slices"

	"github.com/aoa-dev/aoa/scripts/recorded"
)

// macro is the mean over repositories: each counts the same, however much was recorded of it.
func macro(repos []Repo, scores []*score) Macro {
	m := Macro{Repos: len(repos), Intervals: intervals(scores)}
	own := make([]Tasks, len(repos))
	for i, r := range repos {
		own[i] = r.Tasks
	}
	m.Tasks = meanTasks(own)
	for _, b := range names {
		var of []Tasks
		for _, r := range repos {
			if t, ok := r.Baselines[b]; ok {
				of = append(of, t)
			}
		}
		if len(of) > 0 {
			if m.Baselines == nil {
				m.Baselines = map[string]Tasks{}
			}
			m.Baselines[b] = meanTasks(of)
		}
	}
	return m
}

func meanTasks(all []Tasks) Tasks {
	return Tasks{
		T1:    meanTurn(some(all, func(t Tasks) *Turn { return t.T1 })),
		T2:    meanHits(some(all, func(t Tasks) *Hits { return t.T2 })),
		T3:    meanHits(some(all, func(t Tasks) *Hits { return t.T3 })),
		T4:    meanHits(some(all, func(t Tasks) *Hits { return t.T4 })),
		T5:    meanWarning(some(all, func(t Tasks) *Warning { return t.T5 })),
		Shown: meanShown(some(all, func(t Tasks) *Shown { return t.Shown })), ShownUnseen: meanShown(some(all,
			func(t Tasks) *Shown { return t.ShownUnseen })),
		Lists: meanLists(some(all, func(t Tasks) *Lists { return t.Lists })),
		Saved: meanSaved(some(all, func(t Tasks) *Saved { return t.Saved })),
	}
}

// some collects what is there.
func some[A, B any](all []A, of func(A) *B) []*B {
	var out []*B
	for _, a := range all {
		if b := of(a); b != nil {
			out = append(out, b)
		}
	}
	return out
}

func mean[A any](all []*A, of func(*A) float64) float64 {
	sum := 0.0
	for _, a := range all {
		sum += of(a)
	}
	return sum / float64(len(all))
}

func total[A any](all []*A, of func(*A) int) int {
	sum := 0
	for _, a := range all {
		sum += of(a)
	}
	return sum
}

func meanTurn(all []*Turn) *Turn {
	if len(all) == 0 {
		return nil
	}
	return &Turn{total(all, func(t *Turn) int { return t.N }), mean(all, func(t *Turn) float64 { return t.Any5 }),
		mean(all, func(t *Turn) float64 { return t.P5 }), mean(all, func(t *Turn) float64 { return t.Recall10 }),
		mean(all, func(t *Turn) float64 { return t.MRR })}
}

func meanHits(all []*Hits) *Hits {
	if len(all) == 0 {
		return nil
	}
	return &Hits{N: total(all, func(h *Hits) int { return h.N }), Hit1: mean(all,
		func(h *Hits) float64 { return h.Hit1 }),
		Hit3: mean(all, func(h *Hits) float64 { return h.Hit3 }), Hit5: mean(all,
			func(h *Hits) float64 { return h.Hit5 }),
		Hit10: mean(all, func(h *Hits) float64 { return h.Hit10 }), MRR: mean(all,
			func(h *Hits) float64 { return h.MRR }),
		After: meanHits(some(all, func(h *Hits) *Hits { return h.After })), All: meanHits(some(all,
			func(h *Hits) *Hits { return h.All }))}
}

// meanWarning: a repository in which nothing was warned of has no precision.
func meanWarning(all []*Warning) *Warning {
	if len(all) == 0 {
		return nil
	}
	w := &Warning{N: total(all, func(w *Warning) int { return w.N }), Complete: total(all,
		func(w *Warning) int { return w.Complete }),
		Recall: mean(all, func(w *Warning) float64 { return w.Recall }), FalsePer100: mean(all,
			func(w *Warning) float64 { return w.FalsePer100 })}
	if spoke := slices.DeleteFunc(slices.Clone(all), func(w *Warning) bool { return w.Warned == 0 }); len(spoke) > 0 {
		w.Precision = mean(spoke, func(w *Warning) float64 { return w.Precision })
		w.Warned = total(spoke, func(w *Warning) int { return w.Warned })
	}
	return w
}

// meanShown pools the bars of the diagram and takes the mean of everything else.
func meanShown(all []*Shown) *Shown {
	if len(all) == 0 {
		return nil
	}
	out := &Shown{N: total(all, func(s *Shown) int { return s.N }), Coverage: mean(all,
		func(s *Shown) float64 { return s.Coverage }),
		ECE: mean(all, func(s *Shown) float64 { return s.ECE }), Brier: mean(all,
			func(s *Shown) float64 { return s.Brier }),
		PerSession: mean(all, func(s *Shown) float64 { return s.PerSession })}
	if spoke := slices.DeleteFunc(slices.Clone(all), func(s *Shown) bool { return s.N == 0 }); len(spoke) > 0 {
		out.Precision = mean(spoke, func(s *Shown) float64 { return s.Precision })
	}
	out.Reliability = pool(all, func(s *Shown) []Bar { return s.Reliability })
	if before := some(values(all), func(s Shown) *Trust { return s.Ranked }); len(before) > 0 {
		out.Ranked = &Trust{mean(before, func(t *Trust) float64 { return t.ECE }), mean(before,
			func(t *Trust) float64 { return t.Brier }),
			pool(before, func(t *Trust) []Bar { return t.Reliability })}
	}
	for i, first := range all[0].Curve {
		p := Point{Threshold: first.Threshold, Coverage: mean(all,
			func(s *Shown) float64 { return s.Curve[i].Coverage })}
		used := 0.0
		for _, s := range all {
			p.N += s.Curve[i].N
			used += s.Curve[i].N * s.Curve[i].Precision
		}
		p.Precision = used / max(p.N, 1)
		out.Curve = append(out.Curve, p)
	}
	return out
}

// pool joins the bars of all.
func pool[A any](all []*A, of func(*A) []Bar) (out []Bar) {
	for i, first := range of(all[0]) {
		b := Bar{From: first.From}
		for _, a := range all {
			o := of(a)[i]
			b.N, b.P, b.Used = b.N+o.N, b.P+o.N*o.P, b.Used+o.N*o.Used
		}
		b.P, b.Used = b.P/max(b.N, 1), b.Used/max(b.N, 1)
		out = append(out, b)
	}
	return out
}

func values[A any](all []*A) []A {
	out := make([]A, len(all))
	for i, a := range all {
		out[i] = *a
	}
	return out
}

// meanLists takes the precision of the repositories in which a list was shown.
func meanLists(all []*Lists) *Lists {
	if len(all) == 0 {
		return nil
	}
	out := &Lists{Prompts: total(all, func(l *Lists) int { return l.Prompts }), Shown: mean(all,
		func(l *Lists) float64 { return l.Shown }),
		Others: mean(all, func(l *Lists) float64 { return l.Others })}
	if spoke := slices.DeleteFunc(slices.Clone(all), func(l *Lists) bool { return l.Shown == 0 }); len(spoke) > 0 {
		out.Right = mean(spoke, func(l *Lists) float64 { return l.Right })
	}
	return out
}

func meanSaved(all []*Saved) *Saved {
	if len(all) == 0 {
		return nil
	}
	return &Saved{total(all, func(s *Saved) int { return s.Searches }), mean(all,
		func(s *Saved) float64 { return s.PerSession }),
		mean(all, func(s *Saved) float64 { return s.ShareOfAllSearches })}
}

// intervals are 95 % intervals of the macro means.
func intervals(scores []*score) map[string]map[string][2]float64 {
	samples := map[metric][][]recorded.Ratio{} // per repository the clusters that had the metric
	for i, s := range scores {
		for _, name := range slices.Sorted(maps.Keys(s.clusters)) {
			for m, r := range s.clusters[name] {
				if samples[m] == nil {
					samples[m] = make([][]recorded.Ratio, len(scores))
				}
				samples[m][i] = append(samples[m][i], r)
			}
		}
	}
	out := map[string]map[string][2]float64{}
	for m, repos := range samples {
		repos = slices.DeleteFunc(repos, func(c []recorded.Ratio) bool { return len(c) == 0 })
		if out[m.task] == nil {
			out[m.task] = map[string][2]float64{}
		}
		out[m.task][m.name] = recorded.Interval(repos)
	}
	return out
}
