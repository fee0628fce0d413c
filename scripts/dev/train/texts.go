package main

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// histories are the names of the public repositories whose commit messages are used for fitting the
// weights of texts.
//
//go:embed histories.txt
var histories string

// Limits for these commits. They are from the first three quarters of a history, without its
// beginning; the last quarter is used for measuring.
const (
	teachFrom = 0.25
	teachMost = 70 // messages of a repository
	mostFits  = 100
)

// Names of the tasks for questions about texts: by the fields of files alone, for each kind of
// text, and by the whole ranking without a session.
const (
	taskFits  = event.Task("fits:")
	taskText  = event.Task("text")
	taskIssue = event.Task("issue")
)

// texts returns the questions for fitting the weights of texts, from commit messages of histories
// and from issues, by the fields of files or by whole rankings.
func texts(ctx context.Context, repos, issues string, o recorded.Options, ask func(repo int, l *recorded.Localization,
	meant []event.Path) question) (*set, error) {
	out := &set{}
	var instances []recorded.Instance
	if issues != "" {
		var err error
		if instances, err = recorded.Instances(issues); err != nil {
			return nil, err
		}
	}
	byRepo := map[string][]recorded.Instance{}
	for _, i := range instances {
		byRepo[i.Repo] = append(byRepo[i.Repo], i)
	}
	names := strings.Fields(histories)
	for name := range byRepo {
		names = append(names, name)
	}
	slices.Sort(names)
	out.Repos = slices.Compact(names)
	parts := make([][]question, len(out.Repos))
	err := recorded.EachHistory(ctx, repos, out.Repos, func(ctx context.Context, i int, s eval.Source) (err error) {
		take := func(l *recorded.Localization) error {
			parts[i] = append(parts[i], ask(i, l, meant(l)))
			return nil
		}
		if ins := byRepo[s.Name]; ins != nil {
			err = recorded.Localize(ctx, s, ins, o, take)
		} else {
			err = recorded.Subjects(ctx, s, o, teachFrom, recorded.LastQuarter, teachMost, take)
		}
		fmt.Fprintf(os.Stderr, "%s: %d texts\n", s.Name, len(parts[i]))
		return err
	})
	out.Questions = slices.Concat(parts...)
	return out, err
}

// meant returns the files that a message is about. A commit that mends a source also changes the
// changelog and a test, which the message does not mention.
func meant(l *recorded.Localization) []event.Path {
	if files := slices.DeleteFunc(slices.Clone(l.Files), func(p event.Path) bool { return !l.Meant(p) }); len(files) > 0 {
		return files
	}
	return l.Files
}

// fitsOf returns a text with the values of the fields of files.
func fitsOf(repo int, l *recorded.Localization, meant []event.Path) question {
	q := question{Repo: repo, Session: l.ID, Task: taskFits + event.Task(rank.TextKind(l.Text)), Truth: len(meant)}
	for i, f := range l.Fits {
		target := slices.Contains(meant, f.File)
		if i >= mostFits && !target {
			continue
		}
		q.Files = append(q.Files, newFile(f.File, f.Values[:], target))
	}
	return q
}

// rankedOf returns the question about a text, with all signals of the ranking.
func rankedOf(repo int, l *recorded.Localization, meant []event.Path) question {
	q := question{Repo: repo, Session: l.ID, Task: taskText, Truth: len(meant)}
	if rank.TextKind(l.Text) == "long" {
		q.Task = taskIssue
	}
	// All candidates are kept. If improbable files were left out, but never the right ones, the fit
	// would learn that probable files are wrong.
	for _, r := range l.Ranked {
		values := r.Values()
		q.Files = append(q.Files, newFile(r.File, values[:], slices.Contains(meant, r.File)))
	}
	return q
}

// issueRidge pulls the weights of issues, of which there are few, towards those of long commit
// messages.
const issueRidge = 0.05

// fitTexts fits the weights of texts on the repositories for which in is true: those of short texts
// on short commit messages, those of long texts on long commit messages and then on issues.
func fitTexts(s *set, in func(repo int) bool) map[string][]float64 {
	out := map[string][]float64{}
	for _, kind := range []string{"short", "long"} {
		out[kind] = fitTask(s, in, taskFits+event.Task(kind), textGroup(kind, len(s.Signals)))
	}
	return out
}

// textGroup returns a kind of texts with its name and all signals.
func textGroup(kind string, signals int) *group {
	return &group{name: kind, member: yes, ranked: yes, label: target, ridge: 0.002,
		use: slices.Repeat([]bool{true}, signals)}
}

// fitTask fits a group on the commit messages of a task, and then on its issues.
func fitTask(s *set, in func(repo int) bool, task event.Task, g *group) []float64 {
	of := func(message bool) [][]*question {
		return s.by(func(q *question) bool { return q.Task == task && q.message() == message }, in)
	}
	w := fit(of(true), g, nil)
	if issues := of(false); len(issues) > 0 {
		g.prior, g.ridge = w, issueRidge
		w = fit(issues, g, w)
	}
	for i := range w {
		w[i] = round(w[i])
	}
	return w
}

// textWeights puts weights of texts into the form of weights.json.
func textWeights(w map[string][]float64) map[string]map[string]float64 {
	out := map[string]map[string]float64{}
	for kind, ws := range w {
		out[kind] = map[string]float64{}
		for i, name := range rank.TextSignalNames() {
			if ws[i] != 0 {
				out[kind][name] = ws[i]
			}
		}
	}
	return out
}

// newTexts puts weights of texts into the form that package rank reads.
func newTexts(w map[string][]float64) *rank.Texts {
	texts, err := rank.NewTexts(textWeights(w))
	if err != nil {
		panic(err) // The names are those of package rank.
	}
	return &texts
}

// fitMessages fits the weights of prompts outside of sessions.
func fitMessages(s *set) map[event.Task]rank.FileModel {
	out := map[event.Task]rank.FileModel{}
	for task, ws := range messageWeights(s, everything) {
		m := rank.FileModel{Weights: map[string]float64{}}
		for i, name := range s.Signals {
			if ws[i] != 0 {
				m.Weights[name] = ws[i]
			}
		}
		out[task] = m
	}
	return out
}

func messageWeights(s *set, in func(repo int) bool) map[event.Task][]float64 {
	out := map[event.Task][]float64{}
	for _, task := range messageTasks {
		g := messageGroup(s, task)
		out[task] = fitTask(s, in, task, g)
	}
	return out
}

var messageTasks = []event.Task{taskText, taskIssue}

// messageGroup returns a kind of prompts outside of sessions. A history opens no file, so the
// signal Never is always 1 there and would share the bias. A file that was once saved would then
// get half of the bias more. Manifests and lock files are lowered where the text is compared with
// them (rank.demoteUpkeep); a weight here would raise them again.
func messageGroup(s *set, task event.Task) *group {
	g := &group{name: string(task), member: yes, ranked: yes, label: target, sure: 0.1, ridge: 0.002, use: make([]bool,
		len(s.Signals))}
	for i, name := range s.Signals {
		g.use[i] = byHand[name] == 0 && !slices.Contains([]string{rank.Unseen.String(), rank.OfBranch.String(),
			rank.Never.String(), rank.Churn.String(), rank.Upkeep.String()}, name)
	}
	return g
}

// message reports whether a text is a commit message, not an issue.
func (q *question) message() bool { return strings.HasPrefix(q.Session, "commit:") }

// textFolds is the number of parts of the repositories, of which one is left out at a time.
const textFolds = 6

// measureTexts measures texts of repositories that were left out, one part at a time: by the fields
// alone and by the whole ranking.
func measureTexts(fits, ranked *set, into map[string]map[string]float64) {
	out := map[string]float64{}
	count := map[string]float64{}
	for fold := range textFolds {
		in := func(repo int) bool { return repo%textFolds != fold }
		judge := func(s *set, name string, weights func(task event.Task) []float64) {
			for i := range s.Questions {
				q := &s.Questions[i]
				w := weights(q.Task)
				if in(q.Repo) || w == nil {
					continue
				}
				name := name
				if !q.message() {
					name = "issues." + name
				}
				place := firstRight(q, w)
				count[name]++
				out[name+"hit1"] += truth(place == 1)
				out[name+"hit5"] += truth(place > 0 && place <= 5)
			}
		}
		words, tasks := fitTexts(fits, in), messageWeights(ranked, in)
		judge(fits, "fits.", func(task event.Task) []float64 {
			return words[strings.TrimPrefix(string(task),
				string(taskFits))]
		})
		judge(ranked, "texts.", func(task event.Task) []float64 { return tasks[task] })
	}
	for k := range out {
		out[k] = math.Round(1000*out[k]/count[k[:strings.LastIndexByte(k, '.')+1]]) / 1000
	}
	for k, n := range count {
		out[k+"n"] = n
	}
	into["texts"] = out
	fmt.Fprintln(os.Stderr, "texts, left out:", out)
}

// firstRight returns the position of the first right file from 1, 0 if none exists.
func firstRight(q *question, w []float64) int {
	best, place := math.Inf(-1), 0
	for i := range q.Files {
		if f := &q.Files[i]; f.Target {
			best = max(best, logit(w, f))
		}
	}
	if math.IsInf(best, -1) {
		return 0
	}
	for i := range q.Files {
		if f := &q.Files[i]; !f.Target && logit(w, f) >= best {
			place++
		}
	}
	return place + 1
}
