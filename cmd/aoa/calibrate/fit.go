package main

import (
	"fmt"
	"math"
	"os"

	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
)

// row is a circumstance as numbers: shift and slope of each class, then what all classes share.
func row(c prefetch.Circumstance) []float64 {
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

func nothing(int) bool { return false }

// confidence is fitted on all repositories but those left out.
func confidence(found []lessons, out func(int) bool) prefetch.Confidence {
	w := fit(found, func(l *lessons) []example { return l.promises }, out)
	c := prefetch.Confidence{Classes: map[prefetch.Class]rank.Scale{}}
	classes := prefetch.Classes()
	for i, k := range classes {
		if w[2*i+1] != 0 { // a change is promised what its ranking says
			c.Classes[k] = rank.Scale{w[2*i+1], w[2*i]}
		}
	}
	r := w[2*len(classes):]
	c.First, c.Ahead, c.Behind, c.Mass, c.Opened = r[0], r[1], r[2], r[3], r[4]
	return c
}

func warning(found []lessons, out func(int) bool) prefetch.Warning {
	w := fit(found, func(l *lessons) []example { return l.warnings }, out)
	return prefetch.Warning{Bias: w[0], Logit: w[1], First: w[2], Gap: w[3], Share: w[4], Next: w[5], Many: w[6], Size: w[7], Alone: w[8]}
}

// measure leaves each repository out in turn: the mean log loss of the ranking's scores, of promises and of warnings.
func measure(found []lessons, into map[string]float64) {
	var ranked, promised, n, warned, m float64
	for i := range found {
		without := func(r int) bool { return r == i }
		if len(found[i].promises) > 0 {
			w := fit(found, func(l *lessons) []example { return l.promises }, without)
			a, b := 0.0, 0.0
			for _, e := range found[i].promises {
				a, b = a+loss(e.p, e.used), b+loss(probability(w, e.x), e.used)
			}
			k := float64(len(found[i].promises))
			ranked, promised, n = ranked+a/k, promised+b/k, n+1
		}
		if len(found[i].warnings) > 0 {
			w := fit(found, func(l *lessons) []example { return l.warnings }, without)
			a := 0.0
			for _, e := range found[i].warnings {
				a += loss(probability(w, e.x), e.used)
			}
			warned, m = warned+a/float64(len(found[i].warnings)), m+1
		}
	}
	into["promises.ranked"], into["promises.confident"], into["warnings"] = round(ranked/max(n, 1)), round(promised/max(n, 1)), round(warned/max(m, 1))
	fmt.Fprintln(os.Stderr, into)
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

func round(x float64) float64 { return math.Round(x*1000) / 1000 }

// fit is a ridge regression of log odds by Newton's method. A repository counts by the root of its rows, so that the
// largest does not rule.
func fit(found []lessons, rows func(*lessons) []example, out func(int) bool) []float64 {
	var w []float64
	for range 12 {
		var g []float64
		var h [][]float64
		for i := range found {
			examples := rows(&found[i])
			if out(i) || len(examples) == 0 {
				continue
			}
			if g == nil {
				g, h = begin(len(examples[0].x), w)
			}
			if w == nil {
				w = make([]float64, len(g))
			}
			weight := 30 / math.Sqrt(float64(len(examples)))
			for _, e := range examples {
				p := probability(w, e.x)
				d := p
				if e.used {
					d--
				}
				for a, v := range e.x {
					if v == 0 {
						continue
					}
					g[a] += weight * d * v
					for b, u := range e.x {
						h[a][b] += weight * p * (1 - p) * v * u
					}
				}
			}
		}
		if g == nil {
			return nil
		}
		for i, s := range prefetch.Solve(h, g) {
			w[i] -= s
		}
	}
	for i := range w {
		w[i] = round(w[i])
	}
	return w
}

// begin makes the gradient and curvature of the prior: no weight at all, worth one row.
func begin(n int, w []float64) ([]float64, [][]float64) {
	g, h := make([]float64, n), make([][]float64, n)
	for i := range h {
		h[i] = make([]float64, n)
		h[i][i] = 1
		if w != nil {
			g[i] = w[i]
		}
	}
	return g, h
}
