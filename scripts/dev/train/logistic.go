package main

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// row is an observation of a regression: its features that are not 0, and its weight.
type row struct {
	at   []int // indexes of the features
	x    []float64
	used bool
	w    float64
}

// newRow returns a row with all features.
func newRow(x []float64, used bool, w float64) (r row) {
	r.used, r.w = used, w
	for i, v := range x {
		if v != 0 {
			r.at, r.x = append(r.at, i), append(r.x, v)
		}
	}
	return r
}

func (r *row) logit(t []float64) (z float64) {
	for k, i := range r.at {
		z += t[i] * r.x[k]
	}
	return z
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// logistic returns a weighted logistic regression by Newton's method from a start on, which it
// changes. pull is how strongly each weight is pulled to its aim: the weight of a normal prior. The
// weights of positive that would be below 0 are 0. It returns the curvature at the end, too.
func logistic(t []float64, rows []row, pull, aim []float64, positive ...int) (curve [][]float64) {
	n, off := len(t), make([]bool, len(t))
	for range 30 {
		g, h := make([]float64, n), make([][]float64, n)
		for i := range h {
			h[i] = make([]float64, n)
			h[i][i], g[i] = pull[i], pull[i]*(t[i]-aim[i])
		}
		for k := range rows {
			r := &rows[k]
			p := sigmoid(r.logit(t))
			d, s := r.w*(p-truth(r.used)), r.w*p*(1-p)
			for a, i := range r.at {
				g[i] += d * r.x[a]
				for b, j := range r.at {
					h[i][j] += s * r.x[a] * r.x[b]
				}
			}
		}
		for i := range h {
			if off[i] {
				for j := range h {
					h[i][j], h[j][i] = 0, 0
				}
				h[i][i], g[i], t[i] = 1, 0, 0
			}
		}
		step, far := solve(h, g), 0.0
		for i, d := range step {
			d = max(-3, min(3, d)) // far from the minimum Newton's step is too long
			t[i], far = t[i]-d, max(far, math.Abs(d))
		}
		for _, i := range positive {
			off[i] = off[i] || t[i] < 0 && far < 1e-3
		}
		if curve = h; far < 1e-7 {
			break
		}
	}
	return curve
}

// outcome is the logit of a file that could be shown, whether the file was used, and its weight.
type outcome struct {
	z      float64
	used   bool
	weight float64
}

// platt fits a and b of 1/(1+e^-(a·z+b)), after scaling z to mean 0 and deviation 1. A slope of 1
// is the prior, with the weight of 20 files.
func platt(items []outcome) (a, b float64) {
	const prior = 20.0
	var zs, ws []float64
	for _, o := range items {
		zs, ws = append(zs, o.z), append(ws, o.weight)
	}
	if len(items) == 0 {
		return 1, 0
	}
	mean, variance := stat.PopMeanVariance(zs, ws)
	deviation := math.Sqrt(max(variance, 1e-6))
	var rows []row
	for _, o := range items {
		rows = append(rows, newRow([]float64{(o.z - mean) / deviation, 1}, o.used, o.weight))
	}
	t := []float64{1, 0}
	logistic(t, rows, []float64{prior, 1e-3}, []float64{1, 0})
	a = max(t[0], .01) / deviation
	return a, t[1] - a*mean
}

// rounds in which the variance of the intercepts is estimated
const varianceRounds = 12

// regress returns a ridge regression of log odds with a random intercept for each repository. The
// intercepts are normally distributed, with a variance that is estimated. A repository counts by
// the square root of its number of rows, so that the largest does not dominate. The result holds
// for a repository that is not known: the weights are divided by √(1 + π·variance/8), which is the
// mean over its unknown intercept (MacKay, "The evidence framework applied to classification
// networks", 1992).
func regress(repositories int, out func(int) bool, examples func(int) []example) []float64 {
	var rows []row
	n, repos := 0, 0
	for i := range repositories {
		if out(i) {
			continue
		}
		if all := examples(i); len(all) > 0 {
			n = len(all[0].x)
			for _, e := range all {
				r := newRow(e.x, e.used, 30/math.Sqrt(float64(len(all))))
				r.at, r.x = append(r.at, n+repos), append(r.x, 1)
				rows = append(rows, r)
			}
			repos++
		}
	}
	if repos == 0 {
		return nil
	}
	w, pull, variance := make([]float64, n+repos), make([]float64, n+repos), 0.25
	for range varianceRounds {
		for i := range pull {
			if pull[i] = 1; i >= n {
				pull[i] = 1 / variance
			}
		}
		unknown := invert(logistic(w, rows, pull, make([]float64, len(w))))
		sum := 0.0
		for k := n; k < len(w); k++ {
			sum += w[k]*w[k] + unknown[k][k]
		}
		variance = max(sum/float64(repos), .01)
	}
	shrink := 1 / math.Sqrt(1+math.Pi*variance/8)
	w = w[:n]
	for i := range w {
		w[i] = round(w[i] * shrink)
	}
	return w
}
