package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/scripts/recorded"
)

// weight is what a candidate counts in fitting. A file alone, and some files of a commit, are asked about as often as
// they come. A commit that is complete or lacks one file counts once for each file: one that the commit has is asked
// about when it is left out, one that it has not beside the complete commit and all that is left of it. So a
// probability is that of a file to be in a commit that has the files of the change.
func (q *changeQuestion) weight(used bool) float64 {
	switch {
	case q.Size == 1, !q.Left && !q.complete(), used:
		return 1
	}
	return 1 / float64(q.Of+1)
}

// facts are those by the file of the question that says most, and what the others add.
func (q *changeQuestion) facts(f *candidateFile, w *history.Weights) (x history.Facts) {
	best, sum := math.Inf(-1), 0.0
	for i := range f.Pairs {
		var pair history.Facts
		for k, v := range f.Pairs[i] {
			pair[k] = float64(v)
		}
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

// weighed is a row of a regression with its weight.
type weighed struct {
	x    []float64
	used bool
	w    float64
}

// repositoryWeight is what all rows of a repository count together.
const repositoryWeight = 3000

// fitChanges fits the weights on the third quarters of the repositories that are in: first what one file says of another,
// on questions about a single file, then what several add. Facts that are out stay 0.
func fitChanges(all []*changesOf, in func(*changesOf) bool, out ...history.Fact) *history.Weights {
	w := &history.Weights{Best: 1}
	const pair = int(history.Small) + 1
	var rows []weighed
	eachRow(all, in, func(q *changeQuestion, f *candidateFile, share float64) {
		if q.Size != 1 {
			return
		}
		x := make([]float64, pair)
		for k, v := range f.Pairs[0] {
			if !slices.Contains(out, history.Fact(k)) {
				x[k] = float64(v)
			}
		}
		rows = append(rows, weighed{x, f.Used, share * q.weight(f.Used)})
	})
	for k, v := range logistic(pair, rows, nil) {
		w.Pair[k] = round(v)
	}
	rows = rows[:0]
	eachRow(all, in, func(q *changeQuestion, f *candidateFile, share float64) {
		x := q.facts(f, w)
		for _, k := range out {
			x[k] = 0
		}
		z := w.Z(&x)
		rows = append(rows, weighed{[]float64{1, z, max(0, z+1), x[history.Others], x[history.Alike], x[history.Alone]}, f.Used,
			share * q.weight(f.Used)})
	})
	t := logistic(6, rows, []int{1, 3, 4}) // more evidence is never less of a promise
	w.Bias, w.Best, w.Bend, w.Others, w.Alike, w.Alone = round(t[0]), round(t[1]), round(t[2]), round(t[3]), round(t[4]), round(t[5])
	return w
}

// eachRow calls do with the candidates of the third quarters. share makes all repositories count the same.
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

// logistic is a weighted logistic regression by Newton's method with a ridge of .5. The weights of positive that would
// be below 0 are 0.
func logistic(n int, rows []weighed, positive []int) []float64 {
	t, off := make([]float64, n), make([]bool, n)
	for range 30 {
		g, h := make([]float64, n), make([][]float64, n)
		for i := range h {
			h[i] = make([]float64, n)
			h[i][i], g[i] = .5, .5*t[i]
		}
		for k := range rows {
			r := &rows[k]
			z := 0.0
			for i, v := range r.x {
				z += t[i] * v
			}
			p := 1 / (1 + math.Exp(-z))
			d, s := r.w*(p-truth(r.used)), r.w*p*(1-p)
			for i, v := range r.x {
				if g[i] += d * v; v == 0 {
					continue
				}
				for j := range i + 1 {
					h[i][j] += s * v * r.x[j]
				}
			}
		}
		for i := range h {
			for j := range i {
				h[j][i] = h[i][j]
			}
			if off[i] {
				for j := range h {
					h[i][j], h[j][i] = 0, 0
				}
				h[i][i], g[i], t[i] = 1, 0, 0
			}
		}
		step, far := solve(h, g), 0.0
		for i, d := range step {
			d = max(-3, min(3, d))
			t[i], far = t[i]-d, max(far, math.Abs(d))
		}
		for _, i := range positive {
			off[i] = off[i] || t[i] < 0 && far < 1e-3
		}
		if far < 1e-7 {
			break
		}
	}
	return t
}

// measureChanges prints what weights reach on the last quarters, with 95 % intervals, and returns the means.
func measureChanges(all []*changesOf, by func(*changesOf) *history.Weights) map[string]float64 {
	measures := map[string][][]recorded.Ratio{}
	var bins [3][10]struct{ n, p, used float64 } // by size: 1, 2 to 3, more
	for _, c := range all {
		t := tally{}
		rows := 0.0
		for i := range c.Questions {
			rows += float64(len(c.Questions[i].Files))
		}
		for i := range c.Questions {
			q := &c.Questions[i]
			if !q.Last {
				continue
			}
			p := q.take(by(c), t)
			size := min(q.Size/2, 2)
			if q.Size > 3 {
				size = 2
			} else if q.Size > 1 {
				size = 1
			}
			for k, v := range p {
				w := q.weight(q.Files[k].Used) / max(rows, 1)
				b := &bins[size][min(int(10*v), 9)]
				b.n, b.p, b.used = b.n+w, b.p+w*v, b.used+w*truth(q.Files[k].Used)
			}
		}
		for m := range t {
			clusters, sum := t.clusters(m)
			if sum.N > 0 {
				measures[m] = append(measures[m], clusters)
			}
		}
	}
	out := map[string]float64{}
	for _, m := range slices.Sorted(maps.Keys(measures)) {
		mean := 0.0
		for _, clusters := range measures[m] {
			var r recorded.Ratio
			for _, c := range clusters {
				r.Sum, r.N = r.Sum+c.Sum, r.N+c.N
			}
			mean += r.Value() / float64(len(measures[m]))
		}
		between := recorded.Interval(measures[m])
		out[m] = round(mean)
		fmt.Fprintf(os.Stderr, "%-18s %.3f (%.3f to %.3f), %d repositories\n", m, mean, between[0], between[1],
			len(measures[m]))
	}
	for size, name := range []string{"1", "2 to 3", "more"} {
		fmt.Fprintf(os.Stderr, "files %-8s", name)
		for _, b := range bins[size] {
			fmt.Fprintf(os.Stderr, " %.2f→%.2f", b.p/max(b.n, 1e-12), b.used/max(b.n, 1e-12))
		}
		fmt.Fprintln(os.Stderr)
	}
	return out
}

// take measures one question and returns the probabilities of its files.
func (q *changeQuestion) take(w *history.Weights, t tally) []float64 {
	p, order := make([]float64, len(q.Files)), make([]int, len(q.Files))
	commit := fmt.Sprint(q.Commit)
	loss, n := 0.0, 0.0
	for i := range q.Files {
		f := &q.Files[i]
		x := q.facts(f, w)
		p[i], order[i] = 1/(1+math.Exp(-w.LogOdds(&x))), i
		right := p[i]
		if !f.Used {
			right = 1 - p[i]
		}
		loss, n = loss-q.weight(f.Used)*math.Log(max(right, 1e-6)), n+q.weight(f.Used)
	}
	t.add("log_loss", commit, loss, n)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	if q.Size == 1 {
		for r, i := range order[:min(5, len(order))] {
			t.add(fmt.Sprintf("file%d.promised", r+1), commit, p[i], 1)
			t.add(fmt.Sprintf("file%d.happened", r+1), commit, truth(q.Files[i].Used), 1)
		}
	}
	for _, least := range []float64{.6, .65, .7, .75, .8} {
		name := fmt.Sprintf("%.2f", least)
		odds := least / (1 - least) * float64(q.Size)
		need := max(least, min(odds/(1+odds), .95))
		named, right := 0.0, 0.0
		for _, i := range order {
			if p[i] >= need && q.Files[i].Both >= 2 && named < 5 {
				named, right = named+1, right+truth(q.Files[i].Used)
			}
		}
		switch {
		case q.Left:
			t.add("T5.recall."+name, commit, right, 1)
			t.add("T5.right."+name, commit, right, named)
		case q.complete():
			t.add("T5.false."+name, commit, 100*truth(named > 0), 1)
		}
	}
	if q.Left {
		place := slices.IndexFunc(order, func(i int) bool { return q.Files[i].Used })
		t.add("T4.hit1", commit, truth(place == 0), 1)
		t.add("T4.hit5", commit, truth(place >= 0 && place < 5), 1)
	}
	return p
}

// leaveFactsOut prints what each fact adds, on one owner in five left out: the means without it.
func leaveFactsOut(all []*changesOf) {
	inFit := func(c *changesOf) bool { return c.part() != 0 }
	left := slices.DeleteFunc(slices.Clone(all), inFit)
	for f := history.Always; f < history.NumFacts; f++ {
		var out []history.Fact
		if f != history.Always {
			out = append(out, f)
		}
		w := fitChanges(all, inFit, out...)
		if slices.Contains(out, history.Others) {
			w.Others = 0
		}
		if slices.Contains(out, history.Alike) {
			w.Alike = 0
		}
		if slices.Contains(out, history.Alone) {
			w.Alone = 0
		}
		var hit, loss recorded.Ratio
		for _, c := range left {
			t := tally{}
			for i := range c.Questions {
				if q := &c.Questions[i]; q.Last {
					q.take(w, t)
				}
			}
			_, h := t.clusters("T4.hit5")
			_, l := t.clusters("log_loss")
			if h.N > 0 {
				hit, loss = recorded.Ratio{Sum: hit.Sum + h.Value(), N: hit.N + 1}, recorded.Ratio{Sum: loss.Sum + l.Value(), N: loss.N + 1}
			}
		}
		fmt.Fprintf(os.Stderr, "without %-8s hit@5 %.3f, log loss %.4f\n", f, hit.Value(), loss.Value())
	}
}
