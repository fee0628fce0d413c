package main

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

func yes(*file) bool      { return true }
func seen(f *file) bool   { return f.Seen }
func unseen(f *file) bool { return !f.Seen }
func answer(f *file) bool { return !f.Out }
func used(f *file) bool   { return f.Used }
func target(f *file) bool { return f.Target }
func ofTask(task event.Task) func(*question) bool {
	return func(q *question) bool { return q.Task == task }
}

// Signals that recordings cannot teach: only people ask for tags.
var byHand = map[string]float64{"tags": 0.5}

// outside are signals that add nothing to the others in sessions, but do so where only a text or a
// branch is known.
var outside = []string{rank.Text.String(), rank.TextShare.String(), rank.TextBody.String(), rank.Churn.String()}

// groups returns the sets of questions that have their own weights.
func groups(signals []string) []*group {
	pick := func(ok func(string) bool) []bool {
		use := make([]bool, len(signals))
		for i, s := range signals {
			use[i] = ok(s)
		}
		return use
	}
	all := pick(func(name string) bool {
		return byHand[name] == 0 && name != rank.OfBranch.String() && !slices.Contains(outside, name)
	})
	return []*group{
		{name: "prompt", in: ofTask(event.TaskPrompt), member: yes, ranked: answer, label: used,
			use: slices.Clone(all)},
		{name: "open", in: ofTask(event.TaskOpen), member: seen, ranked: answer, label: used, use: slices.Clone(all)},
		{name: "open_unseen", in: ofTask(event.TaskOpen), member: unseen, ranked: answer, label: used,
			use: slices.Clone(all)},
	}
}

// weights are weights that were fitted on some of the repositories.
type weights struct {
	w     map[string][]float64
	scale map[string][2]float64 // by group; prompt_unseen is separate
	// what a failed search adds to the logits between calls: for files that nothing has named, and for
	// named files
	missed [2]float64
}

// fitOn fits on the repositories for which in is true. It starts from weights that are nearly
// right, if there are any.
func fitOn(s *set, in func(repo int) bool, from *weights) *weights {
	out := &weights{w: map[string][]float64{}, scale: map[string][2]float64{}}
	for _, g := range groups(s.Signals) {
		var start []float64
		if from != nil {
			start = from.w[g.name]
		}
		w := fit(s.by(g.in, in), g, start)
		for i := range w {
			w[i] = round(w[i])
		}
		out.w[g.name] = w
	}
	out.calibrate(s, in)
	out.searched(s, in)
	return out
}

// searched fits what a failed search adds. The search has shown that the wanted file is not where
// the session looked, so files that nothing has named are more probable than between other calls.
func (m *weights) searched(s *set, in func(repo int) bool) {
	repos := s.by(ofTask(event.TaskSearch), in)
	for r, qs := range repos {
		for i, q := range qs {
			c := *q
			c.Files = make([]file, len(q.Files))
			for k := range q.Files {
				f := &q.Files[k]
				c.Files[k] = file{Target: f.Target, Signals: []uint8{0, 1, 2},
					Values: []float32{float32(m.logit(q, f)), float32(f.value(rank.Unseen)), float32(f.value(rank.Named))}}
			}
			repos[r][i] = &c
		}
	}
	w := fit(repos, &group{member: yes, ranked: yes, use: []bool{true, true, true}, prior: []float64{1, 0, 0}}, nil)
	m.missed = [2]float64{round(w[1] / w[0]), round(w[2] / w[0])}
}

// by returns the questions of a group, by repository, for the repositories for which in is true.
func (s *set) by(of func(*question) bool, in func(repo int) bool) [][]*question {
	repos := make([][]*question, len(s.Repos))
	for i := range s.Questions {
		if q := &s.Questions[i]; in(q.Repo) && of(q) {
			repos[q.Repo] = append(repos[q.Repo], q)
		}
	}
	return slices.DeleteFunc(repos, func(qs []*question) bool { return len(qs) == 0 })
}

// groupOf returns the group to which a file belongs, and the name of its scale.
func (m *weights) groupOf(q *question, f *file) (group, scale string) {
	switch {
	case q.Task == event.TaskPrompt:
		return "prompt", "prompt"
	case !f.Seen:
		return "open_unseen", "open_unseen"
	}
	return "open", "open"
}

func (m *weights) probability(q *question, f *file) float64 { return sigmoid(m.logit(q, f)) }

// logit returns the logit of a file by the weights, scaled, with what a failed search adds.
func (m *weights) logit(q *question, f *file) float64 {
	g, s := m.groupOf(q, f)
	a := m.scale[s]
	z := a[0]*logit(m.w[g], f) + a[1]
	if q.Task == event.TaskSearch {
		z += m.missed[0]*f.value(rank.Unseen) + m.missed[1]*f.value(rank.Named)
	}
	return z
}

// rounds of calibration, because the scales have a small influence on which five files are the best
const rounds = 3

// calibrate fits each scale on the files that may be shown (see promises). A repository counts by
// the square root of their number.
func (m *weights) calibrate(s *set, in func(repo int) bool) {
	for _, n := range []string{"prompt", "open", "open_unseen"} {
		m.scale[n] = [2]float64{1, 0}
	}
	fit := func(n string, items []outcome) {
		a, b := platt(items)
		m.scale[n] = [2]float64{math.Round(a*1000) / 1000, math.Round(b*1000) / 1000}
	}
	for range rounds {
		items := map[string][]outcome{}
		for repo := range s.Repos {
			if !in(repo) {
				continue
			}
			mine := map[string][]outcome{}
			take := func(x promise) {
				g, sc := m.groupOf(x.q, x.f)
				mine[sc] = append(mine[sc], outcome{z: logit(m.w[g], x.f), used: x.f.Used})
			}
			m.promises(s, repo, yes, func(x promise) {
				if x.f.Seen {
					take(x)
				}
			})
			m.promises(s, repo, unseen, take) // Files that nothing has named are also shown by themselves.
			for sc, os := range mine {
				for _, o := range os {
					o.weight = 30 / math.Sqrt(float64(len(os)))
					items[sc] = append(items[sc], o)
				}
			}
		}
		for sc, os := range items {
			fit(sc, os)
		}
	}
}

// order ranks the files of a question, best first.
func (m *weights) order(q *question, ok func(*file) bool) []int {
	type scored struct {
		i int
		p float64
	}
	var ss []scored
	for i := range q.Files {
		if f := &q.Files[i]; ok(f) {
			ss = append(ss, scored{i, m.probability(q, f)})
		}
	}
	slices.SortStableFunc(ss, func(a, b scored) int { return cmp.Compare(b.p, a.p) })
	out := make([]int, len(ss))
	for i, s := range ss {
		out[i] = s.i
	}
	return out
}

// file puts the weights into the form that package rank reads.
func (m *weights) file(s *set) rank.File {
	// The scale becomes a part of the weights: a·(Σ w·x) + b, the bias is the signal that is always
	// 1.
	named := func(group, scale string) map[string]float64 {
		out, ab := map[string]float64{}, m.scale[scale]
		for i, w := range m.w[group] {
			if i < len(s.Signals) && w != 0 {
				out[s.Signals[i]] = round(w * ab[0])
			}
		}
		bias := rank.Bias.String()
		out[bias] = round(out[bias] + ab[1])
		for name, w := range byHand {
			out[name] = w
		}
		return out
	}
	missed := map[string]float64{rank.Named.String(): m.missed[1]}
	unseen := map[string]float64{rank.Unseen.String(): m.missed[0], rank.Named.String(): m.missed[1]}
	return rank.File{Tasks: map[event.Task]rank.FileModel{
		event.TaskSearch: {Weights: missed, UnseenWeights: unseen},
		event.TaskPrompt: {Weights: named("prompt", "prompt")},
		event.TaskOpen:   {Weights: named("open", "open"), UnseenWeights: named("open_unseen", "open_unseen")},
	}}
}

func short(repo string) string { return repo[strings.LastIndexByte(repo, '/')+1:] }
