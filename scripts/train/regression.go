package main

import (
	"fmt"
	"math"
	"os"

	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
)

// row is the features of a file as numbers: shift and slope of each class, then what all classes share.
func row(c prefetch.FileFeatures) []float64 {
	classes := prefetch.Classes()
	x := make([]float64, 2*len(classes)+5)
	for i, k := range classes {
		if k == c.Class {
			x[2*i], x[2*i+1] = 1, c.Logit
		}
	}
	copy(x[2*len(classes):], []float64{c.First, c.Ahead, c.Behind, c.Mass, c.Opened})
	return x
}

func nobody(int) bool { return false }

// confidence is fitted on all repositories but those left out.
func confidence(found []lessons, out func(int) bool) prefetch.Confidence {
	w := regress(found, func(l *lessons) []example { return l.promises }, out)
	c := prefetch.Confidence{Classes: map[prefetch.Class]rank.Scale{}}
	classes := prefetch.Classes()
	for i, k := range classes {
		if w[2*i+1] != 0 { // a change is promised what its ranking says
			c.Classes[k] = rank.Scale{max(0, w[2*i+1]), w[2*i]} // a file that is ranked higher is never promised less
		}
	}
	r := w[2*len(classes):]
	c.First, c.Ahead, c.Behind, c.Mass, c.Opened = r[0], r[1], r[2], r[3], r[4]
	return c
}

// measure leaves each repository out in turn: the mean log loss of the ranking's scores and of promises.
func measure(found []lessons, into map[string]float64) {
	var ranked, promised, n float64
	for i := range found {
		without := func(r int) bool { return r == i }
		if len(found[i].promises) > 0 {
			w := regress(found, func(l *lessons) []example { return l.promises }, without)
			a, b := 0.0, 0.0
			for _, e := range found[i].promises {
				a, b = a+loss(e.p, e.used), b+loss(probability(w, e.x), e.used)
			}
			k := float64(len(found[i].promises))
			ranked, promised, n = ranked+a/k, promised+b/k, n+1
		}
	}
	into["promises.ece"] = round(ece(found))
	into["promises.ranked"], into["promises.confident"] = round(ranked/max(n, 1)), round(promised/max(n, 1))
	fmt.Fprintln(os.Stderr, into)
}

// ece is the expected calibration error over ten bars of promises, each repository left out of the fit, all counting
// the same.
func ece(found []lessons) float64 {
	var n, p, used [10]float64
	for i := range found {
		if len(found[i].promises) == 0 {
			continue
		}
		w := regress(found, func(l *lessons) []example { return l.promises }, func(r int) bool { return r == i })
		weight := 1 / float64(len(found[i].promises))
		for _, e := range found[i].promises {
			x := probability(w, e.x)
			b := min(int(10*x), 9)
			n[b], p[b], used[b] = n[b]+weight, p[b]+weight*x, used[b]+weight*truth(e.used)
		}
	}
	sum, all := 0.0, 0.0
	for b := range n {
		sum, all = sum+math.Abs(p[b]-used[b]), all+n[b]
		if n[b] > 0 {
			fmt.Fprintf(os.Stderr, "promised %.2f: came true %.2f (%.3f of all)\n", p[b]/n[b], used[b]/n[b], n[b])
		}
	}
	return sum / all
}

func loss(p float64, used bool) float64 {
	if !used {
		p = 1 - p
	}
	return -math.Log(max(p, 1e-6))
}

func probability(w, x []float64) float64 {
	z := 0.0
	for i, v := range x {
		z += w[i] * v
	}
	return 1 / (1 + math.Exp(-z))
}

// regress is a ridge regression of log odds by Newton's method with a random intercept for each repository, normal
// with the variance that the repositories have. A repository counts by the root of its rows, so that the largest does
// not rule. What it returns holds for a repository that nobody knows: the weights are divided by √(1 + π·variance/8),
// the mean over its unknown intercept (MacKay, "The evidence framework applied to classification networks", 1992).
func regress(found []lessons, rows func(*lessons) []example, out func(int) bool) []float64 {
	var in []int // repositories
	n := 0
	for i := range found {
		if examples := rows(&found[i]); !out(i) && len(examples) > 0 {
			in, n = append(in, i), len(examples[0].x)
		}
	}
	if len(in) == 0 {
		return nil
	}
	w, variance := make([]float64, n+len(in)), 0.25
	for range newtonRounds {
		g, h := prior(w, n, variance)
		for k, i := range in {
			examples := rows(&found[i])
			weight := 30 / math.Sqrt(float64(len(examples)))
			for _, e := range examples {
				at := n + k
				d, c := add(g, h, w, e, w[at], weight)
				g[at], h[at][at] = g[at]+d, h[at][at]+c
				for a, v := range e.x {
					h[a][at], h[at][a] = h[a][at]+c*v, h[at][a]+c*v
				}
			}
		}
		for i, s := range solve(h, g) {
			w[i] -= s
		}
		variance = spread(w[n:], h, n)
	}
	shrink := 1 / math.Sqrt(1+math.Pi*variance/8)
	w = w[:n]
	for i := range w {
		w[i] = round(w[i] * shrink)
	}
	return w
}

// newtonRounds of Newton's method, the variance again in each.
const newtonRounds = 15

// add adds one row to the gradient and the curvature of the weights. It returns what it adds for an intercept.
func add(g []float64, h [][]float64, w []float64, e example, intercept, weight float64) (d, c float64) {
	z := intercept
	for i, v := range e.x {
		z += w[i] * v
	}
	p := 1 / (1 + math.Exp(-z))
	d, c = weight*(p-truth(e.used)), weight*p*(1-p)
	for a, v := range e.x {
		if v == 0 {
			continue
		}
		g[a] += d * v
		for b, u := range e.x {
			h[a][b] += c * v * u
		}
	}
	return d, c
}

// prior makes the gradient and curvature of what is believed before any row: no weight at all, worth one row;
// intercepts of the variance.
func prior(w []float64, n int, variance float64) ([]float64, [][]float64) {
	g, h := make([]float64, len(w)), make([][]float64, len(w))
	for i := range h {
		h[i] = make([]float64, len(w))
		h[i][i] = 1
		if i >= n {
			h[i][i] = 1 / variance
		}
		g[i] = h[i][i] * w[i]
	}
	return g, h
}

// spread is the variance of the intercepts: the mean of their squares and of what is not known of each, at least .01.
func spread(intercepts []float64, h [][]float64, n int) float64 {
	sum, unknown := 0.0, invert(h)
	for k, u := range intercepts {
		sum += u*u + unknown[n+k][n+k]
	}
	return max(sum/float64(len(intercepts)), .01)
}
