package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// numbers returns the features of a file: shift and slope of each class, and then those of all
// classes.
func numbers(c prefetch.FileFeatures) []float64 {
	classes := prefetch.Classes()
	x := make([]float64, 2*len(classes)+5)
	i := slices.Index(classes, c.Class)
	x[2*i], x[2*i+1] = 1, c.Logit
	copy(x[2*len(classes):], []float64{c.First, c.Ahead, c.Behind, c.Mass, c.Opened})
	return x
}

func none(int) bool { return false }

// example is one row of a regression.
type example struct {
	x    []float64
	used bool
}

// promiseRounds is how often the confidence is fitted: first on the files that would be shown by
// the scores of the ranking, then on those that would be shown by the confidence itself.
const promiseRounds = 2

// confidence is fitted on the repositories that are not left out.
func confidence(found []lessons, out func(int) bool) prefetch.Confidence {
	var c prefetch.Confidence
	for range promiseRounds {
		c = fitPromises(found, &c, out)
	}
	c.List, c.Search = lists(found, event.TaskPrompt, &c, out), lists(found, event.TaskSearch, &c, out)
	return c
}

// fitPromises fits on the files that a confidence would show.
func fitPromises(found []lessons, by *prefetch.Confidence, out func(int) bool) prefetch.Confidence {
	w := regress(len(found), out, func(i int) (rows []example) {
		found[i].promises(by, func(_ *asked, f *candidate, _ float64) {
			rows = append(rows, example{numbers(f.at), f.used})
		})
		return rows
	})
	c := prefetch.Confidence{Classes: map[prefetch.Class]rank.Scale{}}
	classes := prefetch.Classes()
	for i, k := range classes {
		if w[2*i+1] != 0 { // For a change, the probability is that of the ranking.
			// A file that is ranked higher never gets a lower probability.
			c.Classes[k] = rank.Scale{max(0, w[2*i+1]), w[2*i]}
		}
	}
	r := w[2*len(classes):]
	c.First, c.Ahead, c.Behind, c.Mass, c.Opened = r[0], r[1], r[2], r[3], r[4]
	return c
}

// ownerOf returns the owner of OWNER/NAME.
func ownerOf(repo string) string {
	owner, _, _ := strings.Cut(repo, "/")
	return owner
}

// measurePromises measures all repositories, with a sixth of the owners left out at a time. It
// returns means over repositories: the log loss with and without the confidence, predictions and
// outcomes by kind of question, and lists.
func measurePromises(found []lessons) map[string]float64 {
	owners := map[string]int{}
	for i := range found {
		if _, known := owners[ownerOf(found[i].Name)]; !known {
			owners[ownerOf(found[i].Name)] = len(owners) % textFolds
		}
	}
	var t recorded.Table
	for fold := range textFolds {
		out := func(i int) bool { return owners[ownerOf(found[i].Name)] == fold }
		c := confidence(found, out)
		for i := range found {
			if out(i) {
				found[i].measure(&t, &c)
			}
		}
	}
	into := map[string]float64{}
	for name, of := range map[string]string{"promises.ranked": "ranked", "promises.confident": "confident",
		"lists.shown": "lists shown", "lists.right": "lists right", "lists.shown_idle": "lists others",
		"searches.shown": "search lists shown", "searches.right": "search lists right",
		"searches.shown_idle": "search lists others"} {
		into[name] = round(t.Mean(recorded.Own, of))
	}
	for _, kind := range []string{"prompt", "open", "search", "text", "list", "search list"} {
		into["ece."+kind] = round(bars(&t, kind))
	}
	fmt.Fprintln(os.Stderr, into)
	return into
}

// measure measures one repository.
func (l *lessons) measure(t *recorded.Table, c *prefetch.Confidence) {
	add := func(measure string, sum, n float64) { t.Add(recorded.Own, measure, l.Name, "", sum, n) }
	bar := func(kind string, p float64, came bool) {
		b := min(int(10*p), 9)
		add(fmt.Sprintf("%s promised %d", kind, b), p, 1)
		add(fmt.Sprintf("%s came %d", kind, b), truth(came), 1)
	}
	l.promises(c, func(a *asked, f *candidate, p float64) {
		add("ranked", loss(rank.Uncalibrated.Probability(f.at.Logit), f.used), 1)
		add("confident", loss(p, f.used), 1)
		bar(a.kind(), p, f.used)
	})
	for i := range l.asked {
		a := &l.asked[i]
		var model prefetch.ListModel
		var list string
		switch a.kind() {
		case string(event.TaskPrompt):
			model, list = c.List, "list"
		case string(event.TaskSearch):
			model, list = c.Search, "search list"
		default:
			continue
		}
		files, e := model.Choose(a.query, a.turn, a.predictions(c), nil)
		says, right := truth(e.Says(prefetch.ListThreshold)), a.right(files)
		bar(list, e.Any(), a.opens && right)
		if !a.opens {
			add(list+"s others", says, 1)
			continue
		}
		add(list+"s shown", says, 1)
		add(list+"s right", says*truth(right), says)
	}
}

// right reports whether one of the files was used.
func (a *asked) right(files []prefetch.Candidate) bool {
	return slices.ContainsFunc(files, func(x prefetch.Candidate) bool { return a.files[x.Place].used })
}

// lists fits the estimates for the lists of a task on the repositories that are not left out.
func lists(found []lessons, task event.Task, c *prefetch.Confidence, out func(int) bool) prefetch.ListModel {
	fit := func(row func(a *asked, listed []prefetch.Candidate) (used, counts bool)) prefetch.ListWeights {
		w := regress(len(found), out, func(i int) (rows []example) {
			for k := range found[i].asked {
				a := &found[i].asked[k]
				if a.kind() != string(task) {
					continue
				}
				files := prefetch.Listed(a.predictions(c), nil)
				if used, counts := row(a, files); counts {
					x := append([]float64{1}, prefetch.ListFeaturesOf(a.query, a.turn, files).Values()...)
					rows = append(rows, example{x, used})
				}
			}
			return rows
		})
		if w == nil {
			return prefetch.ListWeights{}
		}
		return prefetch.ListWeights{Bias: w[0], ListFeatures: prefetch.ListFeatures{Turn: w[1], Words: w[2], Short: w[3],
			First: w[4], Any: w[5], Text: w[6], Terms: w[7], Named: w[8]}}
	}
	return prefetch.ListModel{
		Opens: fit(func(a *asked, _ []prefetch.Candidate) (used, counts bool) { return a.opens, true }),
		Right: fit(func(a *asked, listed []prefetch.Candidate) (used, counts bool) {
			said, _ := prefetch.ListModel{}.Choose(a.query, a.turn, a.predictions(c), nil)
			return a.right(said), a.opens && len(said) > 0
		}),
	}
}

// bars prints the mean probability and the share that came true for each group of predictions, each
// repository counting the same, and returns the expected calibration error over the groups.
func bars(t *recorded.Table, kind string) float64 {
	far, all, asked := 0.0, 0.0, map[string]float64{}
	of := func(what string, b int) map[string]recorded.Ratio {
		return t.Repos(recorded.Own, fmt.Sprintf("%s %s %d", kind, what, b))
	}
	for b := range 10 {
		for name, r := range of("promised", b) {
			asked[name] += r.N
		}
	}
	for b := range 10 {
		var promised, came, n float64
		happened, repos := of("came", b), of("promised", b)
		for _, name := range slices.Sorted(maps.Keys(repos)) {
			w := 1 / asked[name]
			promised, came, n = promised+w*repos[name].Sum, came+w*happened[name].Sum, n+w*repos[name].N
		}
		if n > 0 {
			fmt.Fprintf(os.Stderr, "%s: promised %.2f, came true %.2f (%.3f)\n", kind, promised/n, came/n, n)
		}
		far, all = far+math.Abs(promised-came), all+n
	}
	return far / max(all, 1e-9)
}

func loss(p float64, used bool) float64 {
	if !used {
		p = 1 - p
	}
	return -math.Log(max(p, 1e-6))
}
