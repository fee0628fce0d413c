package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// Names of the tasks for questions without a text: on a branch with commits, and on a branch that
// has only a name.
const (
	taskBranch = event.Task("branch")
	taskName   = event.Task("branch_name")
)

// teachBranches is the number of branches of a repository that are used for fitting. They are from
// the first three quarters of its history, without the beginning.
const teachBranches = 40

// Signals for questions without a text. A branch is asked about as if it had just begun, so its
// commits are always the newest. Signals of time would say the same as the signal that the branch
// changed a file, so they are left out.
var ofBranch = []string{"bias", "branch", "comod", "alike_rank", "pair", "text", "text_share", "text_place",
	"terms_rank", "churn"}

// branches returns the questions on branches of public histories: those without a text, and the
// messages of commits, as texts and as first prompts of sessions.
func branches(ctx context.Context, repos string, o recorded.Options) (*set, error) {
	out := &set{Repos: strings.Fields(histories)}
	parts := make([][]question, len(out.Repos))
	err := recorded.EachHistory(ctx, repos, out.Repos, func(ctx context.Context, i int, s eval.Source) error {
		err := recorded.Branches(ctx, s, o, teachFrom, recorded.LastQuarter, teachBranches,
			func(l *recorded.Localization) (err error) {
				q := rankedOf(i, l, l.Files)
				switch {
				case l.Text != "":
					first := *l
					if first.Ranked, err = l.First(); err != nil {
						return err
					}
					p := rankedOf(i, &first, l.Files)
					p.Task = event.TaskPrompt
					parts[i] = append(parts[i], p)
				case len(l.Branch.Files) == 0:
					q.Task = taskName
				default:
					q.Task = taskBranch
				}
				parts[i] = append(parts[i], q)
				return nil
			})
		fmt.Fprintf(os.Stderr, "%s: %d questions on branches\n", out.Repos[i], len(parts[i]))
		return err
	})
	out.Questions, out.Signals = slices.Concat(parts...), rank.SignalNames()
	return out, err
}

// fitBranches fits the weights of questions without a text. The loss includes the probabilities,
// because they are shown unchanged.
func fitBranches(s *set) map[event.Task]rank.FileModel {
	out := map[event.Task]rank.FileModel{}
	for _, task := range []event.Task{taskBranch, taskName} {
		g := &group{name: string(task), member: yes, ranked: yes, label: target, sure: 1, ridge: 0.002,
			use: make([]bool, len(s.Signals))}
		for i, name := range s.Signals {
			g.use[i] = slices.Contains(ofBranch, name)
		}
		w := fit(s.by(ofTask(task), everything), g, nil)
		a, b := s.leftOut(g, ofTask(task))
		w[rank.Bias] += b / a
		for i := range w {
			w[i] *= a
		}
		m := rank.FileModel{Weights: map[string]float64{}}
		for i, name := range s.Signals {
			if x := round(w[i]); x != 0 {
				m.Weights[name] = x
			}
		}
		out[task] = m
	}
	return out
}

// leftOut returns a and b for the probabilities of the first five files, computed with weights that
// were fitted without their repository.
func (s *set) leftOut(g *group, of func(*question) bool) (a, b float64) {
	var items []outcome
	for fold := range textFolds {
		w := fit(s.by(of, func(repo int) bool { return repo%textFolds != fold }), g, nil)
		for _, qs := range s.by(of, func(repo int) bool { return repo%textFolds == fold }) {
			for _, q := range qs {
				var best []outcome
				for i := range q.Files {
					best = append(best, outcome{logit(w, &q.Files[i]), q.Files[i].Target, 1})
				}
				slices.SortFunc(best, func(x, y outcome) int { return cmp.Compare(y.z, x.z) })
				items = append(items, best[:min(len(best), 5)]...)
			}
		}
	}
	return platt(items)
}

// weighBranch sets the weight of the signal branch in the tasks of prompts. The questions with
// which the other weights were fitted do not have this signal, so its weight is fitted as an
// addition to the logit that the other weights give on branches.
func weighBranch(s *set, tasks map[event.Task]rank.FileModel) {
	branch := rank.OfBranch.String()
	for _, task := range []event.Task{event.TaskPrompt, taskText, taskIssue} {
		w := make([]float64, len(s.Signals))
		for i, name := range s.Signals {
			if name != branch {
				w[i] = tasks[task].Weights[name]
			}
		}
		added := &set{Repos: s.Repos}
		for _, q := range s.Questions {
			if q.Task != task {
				continue
			}
			known := question{Repo: q.Repo, Task: task, Truth: q.Truth}
			for i := range q.Files {
				f := &q.Files[i]
				out := file{Signals: []uint8{0}, Values: []float32{float32(logit(w, f))}, Target: f.Target}
				if k := slices.Index(f.Signals, uint8(rank.OfBranch)); k >= 0 {
					out.Signals, out.Values = []uint8{0, 1}, []float32{out.Values[0], f.Values[k]}
				}
				known.Files = append(known.Files, out)
			}
			added.Questions = append(added.Questions, known)
		}
		g := &group{name: branch, member: yes, ranked: yes, label: target, prior: []float64{1, 0}, ridge: 0.002,
			use: []bool{true, true}}
		if by := fit(added.by(ofTask(task), everything), g, nil); by[0] > 0 {
			tasks[task].Weights[branch] = round(by[1] / by[0])
		}
	}
}
