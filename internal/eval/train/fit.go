package main

import (
	"cmp"
	"math"
	"math/rand/v2"
)

// The choices of the fit; they were made by leaving repositories out.
const (
	epochs  = 10
	batch   = 64
	rate    = 0.05  // of Adam, falling to a tenth
	ridge   = 0.001 // pulls weights to 0
	perList = 5.0   // candidates that a question is expected to be asked about
)

// group is a part of the questions that has weights of its own.
type group struct {
	name   string
	in     func(q *question) bool
	member func(f *file) bool // candidates that belong to it
	ranked func(f *file) bool // of them, those that are answers
	label  func(f *file) bool // what the probability is of
	use    [256]bool          // signals
	prior  []float64          // that the ridge pulls to; nil: 0
	ridge  float64            // 0: ridge
	epochs int                // 0: epochs
	sure   float64            // share of the loss that asks for probabilities, not only for the order
}

// fit finds weights under which the right files stand above the others (the loss is the mean over questions of −log of the
// softmax share of the right ones) and 1/(1+e^-Σ w·x) is near the share that is used (log loss). Repositories count by the
// root of their questions, so that the largest does not rule.
func fit(qs []*question, g *group) []float64 {
	w, prior := make([]float64, 256), make([]float64, 256)
	copy(prior, g.prior)
	copy(w, prior)
	pull, rounds := cmp.Or(g.ridge, ridge), cmp.Or(g.epochs, epochs)
	grad, mean, square := make([]float64, 256), make([]float64, 256), make([]float64, 256)
	count := map[int]float64{}
	for _, q := range qs {
		count[q.Repo]++
	}
	order := make([]int, len(qs))
	for i := range order {
		order[i] = i
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var z []float64
	step := 0
	for epoch := range rounds {
		speed := rate * (1 - 0.9*float64(epoch)/float64(rounds))
		rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		for from := 0; from < len(order); from += batch {
			clear(grad)
			total := 0.0
			for _, i := range order[from:min(from+batch, len(order))] {
				weight := 1 / math.Sqrt(count[qs[i].Repo])
				total += weight
				z = gradient(qs[i], g, w, grad, z, weight)
			}
			step++
			for s := range w {
				if !g.use[s] {
					continue
				}
				d := grad[s]/total + pull*(w[s]-prior[s])
				mean[s] = .9*mean[s] + .1*d
				square[s] = .995*square[s] + .005*d*d
				w[s] -= speed * mean[s] / (1 - math.Pow(.9, float64(step))) / (math.Sqrt(square[s]/(1-math.Pow(.995, float64(step)))) + 1e-6)
			}
		}
	}
	return w
}

// gradient adds the gradient of one question's loss.
func gradient(q *question, g *group, w, grad, z []float64, weight float64) []float64 {
	z = z[:0]
	top, right := math.Inf(-1), 0
	for i := range q.Files {
		f := &q.Files[i]
		z = append(z, logit(w, f))
		if g.member(f) && g.ranked(f) {
			top = max(top, z[i])
			if f.Target {
				right++
			}
		}
	}
	sum := 0.0
	for i := range q.Files {
		if f := &q.Files[i]; g.member(f) && g.ranked(f) {
			sum += math.Exp(z[i] - top)
		}
	}
	for i := range q.Files {
		f := &q.Files[i]
		if !g.member(f) {
			continue
		}
		d := 0.0
		if right > 0 && g.ranked(f) {
			d = (1 - g.sure) * math.Exp(z[i]-top) / sum
			if f.Target {
				d -= (1 - g.sure) / float64(right)
			}
		}
		p := 1 / (1 + math.Exp(-z[i]))
		if g.label(f) {
			p--
		}
		d = weight * (d + g.sure/perList*p)
		for k, s := range f.Signals {
			grad[s] += d * float64(f.Values[k])
		}
	}
	return z
}

func logit(w []float64, f *file) float64 {
	z := 0.0
	for k, s := range f.Signals {
		z += w[s] * float64(f.Values[k])
	}
	return z
}

// outcome is the logit of a file that could be shown, whether it was used, and what it counts.
type outcome struct {
	z      float64
	used   bool
	weight float64
}

// platt fits a, b of 1/(1+e^-(a·z+b)) by Newton's method on z with mean 0 and deviation 1, with the weight of 20 files for a slope of 1.
// It begins at the share that is used.
func platt(items []outcome) (a, b float64) {
	const prior = 20.0
	var n, used, mean, square float64
	for _, o := range items {
		n, used, mean, square = n+o.weight, used+o.weight*truth(o.used), mean+o.weight*o.z, square+o.weight*o.z*o.z
	}
	if n == 0 {
		return 1, 0
	}
	mean /= n
	deviation := math.Sqrt(max(square/n-mean*mean, 1e-6))
	share := (used + .5) / (n + 1)
	a, b = 1, math.Log(share/(1-share))
	for range 50 {
		ga, gb, haa, hab, hbb := prior*(a-1), 0.0, prior, 0.0, prior*.1
		for _, o := range items {
			z := (o.z - mean) / deviation
			p := 1 / (1 + math.Exp(-(a*z + b)))
			d := o.weight * (p - truth(o.used))
			h := o.weight * p * (1 - p)
			ga, gb = ga+d*z, gb+d
			haa, hab, hbb = haa+h*z*z, hab+h*z, hbb+h
		}
		det := haa*hbb - hab*hab
		da, db := (hbb*ga-hab*gb)/det, (haa*gb-hab*ga)/det
		step := min(1, 1/max(math.Abs(da), math.Abs(db), 1e-9)) // at most 1: far from the end Newton's step goes too far
		a, b = a-step*da, b-step*db
		if math.Abs(da)+math.Abs(db) < 1e-9 {
			break
		}
	}
	a = max(a, .01) / deviation
	return a, b - a*mean
}
