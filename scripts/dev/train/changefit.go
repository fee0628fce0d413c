package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// weight returns how much a candidate counts in fitting. A question about a single file, or about
// some files of a commit, counts as often as it is asked. A commit that is complete or lacks one
// file counts once for each file: a file of the commit when it is left out, and any other file for
// the complete commit and for all questions with one file left out. So the fitted probability is
// that a file is in a commit that has the files of the change.
func (q *changeQuestion) weight(used bool) float64 {
	switch {
	case q.Size == 1, !q.Left && !q.complete(), used:
		return 1
	}
	return 1 / float64(q.Of+1)
}

// facts returns the facts by the file of the question with the strongest evidence, and what the
// other files add.
func (q *changeQuestion) facts(f *candidateFile, w *history.Weights) (x history.Facts) {
	best, sum := math.Inf(-1), 0.0
	for i := range f.Pairs {
		pair := factsOf(f.Pairs[i])
		z := w.Z(&pair)
		if sum += 1 / (1 + math.Exp(-z)); z > best {
			best = z
			x = pair
		}
	}
	x[history.Others], x[history.Alike] = history.Beside(best, sum-1/(1+math.Exp(-best)), f.Alike)
	x[history.Alone] = history.AloneOf(len(f.Pairs) == 1 && q.Size == 1, best)
	return x
}

// repositoryWeight is the total weight of the rows of a repository.
const repositoryWeight = 3000

// fitChanges fits the weights on the third quarters of the repositories for which in is true. It
// first fits the evidence of one file for another, on questions about a single file, and then the
// rest. Without sketches the weights of the facts about diffs stay 0.
func fitChanges(all []*changesOf, sketched bool, in func(*changesOf) bool) *history.Weights {
	w := &history.Weights{Best: 1}
	const pair = int(history.Words) + 1
	var rows []row
	eachRow(all, in, func(q *changeQuestion, f *candidateFile, share float64) {
		if q.Size != 1 {
			return
		}
		x := make([]float64, pair)
		for k, v := range f.Pairs[0] {
			x[k] = float64(v)
		}
		if !sketched {
			x[history.Like], x[history.Words] = 0, 0
		}
		rows = append(rows, newRow(x, f.Used, share*q.weight(f.Used)))
	})
	for k, v := range ridged(pair, rows) {
		w.Pair[k] = round(v)
	}
	rows = rows[:0]
	eachRow(all, in, func(q *changeQuestion, f *candidateFile, share float64) {
		x := q.facts(f, w)
		z := w.Z(&x)
		rows = append(rows, newRow([]float64{1, z, max(0, z-history.Bends[0]), max(0, z-history.Bends[1]),
			x[history.Others], x[history.Alike], x[history.Alone]}, f.Used, share*q.weight(f.Used)))
	})
	t := ridged(7, rows, 1, 2, 3, 4, 5) // More evidence never lowers a probability.
	for i, weight := range []*float64{&w.Bias, &w.Best, &w.Low, &w.High, &w.Others, &w.Alike, &w.Alone} {
		*weight = round(t[i])
	}
	fitMissing(all, in, w)
	return w
}

// fitMissing fits the probability that a change is incomplete without a companion. It uses changes
// that lack a file and complete ones, each counting once, and the most probable companions of each.
// All repositories count the same.
func fitMissing(all []*changesOf, in func(*changesOf) bool, w *history.Weights) {
	const repository, least = 1000.0, 200
	var rows []row
	for _, c := range all {
		first := len(rows)
		for i := range c.Questions {
			if q := &c.Questions[i]; in(c) && !q.Last && (q.Left || q.complete()) {
				for _, f := range q.companions(w) {
					x := f.Values(f.LogOdds, q.Size)
					rows = append(rows, newRow(x[:], f.used, 1))
				}
			}
		}
		for i := range rows[first:] {
			rows[first+i].w = repository / float64(max(len(rows)-first, least))
		}
	}
	t := ridged(5, rows)
	w.Missing = history.Missing{Bias: round(t[0]), Odds: round(t[1]), Files: round(t[2]), Ahead: round(t[3]),
		Foremost: round(t[4])}
}

// companion is a file that may belong to a change, with the evidence.
type companion struct {
	history.Companion
	used bool
}

// Limits for the companions that a warning may name. They are the same as in package prefetch.
const (
	mostWarned   = 5
	leastMissing = 0.2
)

// companions returns the companions of a question that may be missing, the most probable first.
func (q *changeQuestion) companions(w *history.Weights) (out []companion) {
	foremost := history.Foremost{}
	name := func(i int) event.Path { return event.Path(fmt.Sprint(i)) }
	for i := range q.Files {
		f := &q.Files[i]
		x := q.facts(f, w)
		c := companion{history.Companion{File: name(i), Facts: x, LogOdds: w.LogOdds(&x)}, f.Used}
		best := math.Inf(-1)
		for k := range f.Pairs {
			pair := factsOf(f.Pairs[k])
			z := w.Z(&pair)
			foremost.Add(name(int(f.With[k])), c.File, z)
			if z > best {
				best, c.With = z, name(int(f.With[k]))
			}
		}
		if f.Both >= prefetch.LeastShared && sigmoid(c.LogOdds) >= leastMissing {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b companion) int { return cmp.Compare(b.LogOdds, a.LogOdds) })
	out = out[:min(len(out), mostWarned)]
	for i := range out {
		foremost.Of(&out[i].Companion)
	}
	return out
}

func factsOf(pair [history.Words + 1]float32) (x history.Facts) {
	for k, v := range pair {
		x[k] = float64(v)
	}
	return x
}

// ridged returns a logistic regression with a ridge of .5.
func ridged(n int, rows []row, positive ...int) []float64 {
	t := make([]float64, n)
	logistic(t, rows, slices.Repeat([]float64{.5}, n), make([]float64, n), positive...)
	return t
}

// eachRow calls do with the candidates of the third quarters. share is a weight with which all
// repositories count the same.
func eachRow(all []*changesOf, in func(*changesOf) bool, do func(q *changeQuestion, f *candidateFile, share float64)) {
	for _, c := range all {
		if !in(c) {
			continue
		}
		n := 0
		for i := range c.Questions {
			if !c.Questions[i].Last {
				n += len(c.Questions[i].Files)
			}
		}
		for i := range c.Questions {
			q := &c.Questions[i]
			for k := range q.Files {
				if !q.Last {
					do(q, &q.Files[k], repositoryWeight/float64(max(n, 300)))
				}
			}
		}
	}
}

// measureChanges measures weights on the last quarters. It prints the means with their 95 %
// intervals, and returns the means.
func measureChanges(all []*changesOf, by func(*changesOf) *history.Weights) map[string]float64 {
	var t recorded.Table
	for _, c := range all {
		rows := 0.0
		for i := range c.Questions {
			rows += float64(len(c.Questions[i].Files))
		}
		for i := range c.Questions {
			if q := &c.Questions[i]; q.Last {
				q.measure(by(c), 1/rows, func(measure string, sum, n float64) {
					t.Add(recorded.Own, measure, c.Name, fmt.Sprint(q.Commit), sum, n)
				})
			}
		}
	}
	for _, size := range []string{"1", "2 to 3", "more"} {
		fmt.Fprintln(os.Stderr, "files:", size)
		bars(&t, size)
	}
	out := map[string]float64{}
	for _, m := range t.Measures(recorded.Own) {
		if strings.Contains(m, ".") {
			out[m] = round(t.Mean(recorded.Own, m))
			in := t.Interval(recorded.Own, m)
			fmt.Fprintf(os.Stderr, "%-18s %.3f (%.3f to %.3f), %d repositories\n", m, out[m], in[0], in[1],
				len(t.Repos(recorded.Own, m)))
		}
	}
	return out
}

// sizeOf returns the name of the group of questions, by their number of files, in which a question
// is calibrated.
func (q *changeQuestion) sizeOf() string {
	switch {
	case q.Size == 1:
		return "1"
	case q.Size <= 3:
		return "2 to 3"
	}
	return "more"
}

// measure measures one question. share is a weight with which the predicted files of all
// repositories count the same.
func (q *changeQuestion) measure(w *history.Weights, share float64, add func(measure string, sum, n float64)) {
	p, order := make([]float64, len(q.Files)), make([]int, len(q.Files))
	for i := range q.Files {
		f := &q.Files[i]
		x := q.facts(f, w)
		p[i], order[i] = sigmoid(w.LogOdds(&x)), i
		weight, b := q.weight(f.Used), min(int(10*p[i]), 9)
		add("log.loss", weight*loss(p[i], f.Used), weight)
		add(fmt.Sprintf("%s promised %d", q.sizeOf(), b), share*weight*p[i], share*weight)
		add(fmt.Sprintf("%s came %d", q.sizeOf(), b), share*weight*truth(f.Used), share*weight)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	if q.Size == 1 {
		for r, i := range order[:min(5, len(order))] {
			add(fmt.Sprintf("file%d.promised", r+1), p[i], 1)
			add(fmt.Sprintf("file%d.happened", r+1), truth(q.Files[i].Used), 1)
		}
	}
	for _, least := range []float64{.6, .65, .7, .75, .8} {
		named, right := 0.0, 0.0
		for _, c := range q.companions(w) {
			if w.Missing.Probability(&c.Companion, c.LogOdds, q.Size) >= least {
				named, right = named+1, right+truth(c.used)
			}
		}
		switch name := fmt.Sprintf("%.2f", least); {
		case q.Left:
			add("T5.recall."+name, right, 1)
			add("T5.right."+name, right, named)
		case q.complete():
			add("T5.false."+name, 100*truth(named > 0), 1)
		}
	}
	if q.Left {
		place := slices.IndexFunc(order, func(i int) bool { return q.Files[i].Used })
		add("T4.hit1", truth(place == 0), 1)
		add("T4.hit5", truth(place >= 0 && place < 5), 1)
	}
}
