package main

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// Settings of the fit. They were chosen by leaving repositories out.
const (
	ridge   = 0.001 // how strongly weights are pulled towards 0
	perList = 5.0   // expected number of candidates of a question
	steps   = 30    // most steps of Newton's method
	enough  = 1e-6  // share of the loss by which a step must lower it
	faint   = 1e-4  // a candidate with a smaller share does not count in the curvature
)

// group is a set of questions with its own weights.
type group struct {
	name   string
	in     func(q *question) bool
	member func(f *file) bool // whether a candidate belongs to the group
	ranked func(f *file) bool // which of these are answers
	label  func(f *file) bool // the event whose probability is fitted
	use    []bool             // signals
	prior  []float64          // weights towards which the ridge pulls; nil means 0
	ridge  float64            // 0 means the constant ridge
	sure   float64            // share of the loss that depends on the probabilities, not only on the order
}

// fit finds weights for two aims: the right files rank above the others (the loss is the mean over
// questions of −log of the softmax share of the right ones), and 1/(1+e^-Σ w·x) is close to the
// share of files that are used (log loss). A repository counts by the square root of its number of
// questions, so that the largest does not dominate. The loss is convex, so Newton's method finds
// its minimum from any start.
func fit(repos [][]*question, g *group, start []float64) []float64 {
	w := slices.Clone(start)
	if w == nil {
		w = make([]float64, len(g.use))
		copy(w, g.prior)
	}
	best, good := math.Inf(1), w
	for range steps {
		parts := make([]*quadratic, len(repos))
		// sums never fail
		_ = recorded.Each(context.Background(), len(repos), func(_ context.Context, i int) error {
			parts[i] = g.around(repos[i], w)
			return nil
		})
		total := g.total(parts, w)
		if total > best { // The step was too long.
			for i := range w {
				w[i] = (w[i] + 3*good[i]) / 4
			}
			continue
		}
		done := best-total < enough*total
		best, good = total, w
		w = g.minimum(parts)
		if done {
			break
		}
	}
	return w
}

// total returns the loss of all repositories plus that of the ridge.
func (g *group) total(parts []*quadratic, w []float64) float64 {
	sum, n := 0.0, 0.0
	for _, p := range parts {
		sum, n = sum+p.loss, n+p.n
	}
	for i, x := range w {
		if g.prior != nil {
			x -= g.prior[i]
		}
		sum += .5 * cmp.Or(g.ridge, ridge) * n * x * x
	}
	return sum
}

// quadratic approximates the loss of one repository's questions near some weights, to the second
// order.
type quadratic struct {
	n     float64 // weight of the questions
	at    []float64
	loss  float64
	slope []float64
	curve [][]float64
}

// around approximates the sum of the losses of questions near the weights w, as a quadratic
// function.
func (g *group) around(qs []*question, w []float64) *quadratic {
	d := len(w)
	out := &quadratic{at: slices.Clone(w), slope: make([]float64, d), curve: make([][]float64, d)}
	for i := range out.curve {
		out.curve[i] = make([]float64, d)
	}
	var s sums
	mean := make([]float64, d)
	for _, q := range qs {
		g.add(out, q, w, &s, mean)
	}
	scale := 1 / math.Sqrt(max(out.n, 1))
	out.n, out.loss = out.n*scale, out.loss*scale
	for i := range d {
		out.slope[i] *= scale
		for j := range i + 1 {
			out.curve[i][j] *= scale
			out.curve[j][i] = out.curve[i][j]
		}
	}
	return out
}

// sums has the logits and the softmax shares of a question's files.
type sums struct{ z, p []float64 }

// add adds the loss of one question, its gradient, and the lower triangle of its curvature.
func (g *group) add(to *quadratic, q *question, w []float64, s *sums, mean []float64) {
	s.z, s.p = s.z[:0], s.p[:0]
	top, right, all, aim := math.Inf(-1), 0.0, 0.0, 0.0
	for i := range q.Files {
		f := &q.Files[i]
		z, p := 0.0, 0.0
		if g.member(f) {
			z = logit(w, f)
			if g.ranked(f) {
				p, top = 1, max(top, z)
				if f.Target {
					right, aim = right+1, aim+z
				}
			}
		}
		s.z, s.p = append(s.z, z), append(s.p, p)
	}
	if right == 0 && g.sure == 0 {
		return
	}
	to.n++
	for i, p := range s.p {
		if p > 0 {
			s.p[i] = math.Exp(s.z[i] - top)
			all += s.p[i]
		}
	}
	order := 0.0 // how much the order counts in the loss
	if right > 0 {
		order = 1 - g.sure
		to.loss += order * (top + math.Log(all) - aim/right)
	}
	clear(mean)
	for i := range q.Files {
		f := &q.Files[i]
		if !g.member(f) {
			continue
		}
		share := order * s.p[i] / max(all, 1)
		d, bend := share, share
		if right > 0 && f.Target && s.p[i] > 0 {
			d -= order / right
		}
		if g.sure > 0 {
			p, label := 1/(1+math.Exp(-s.z[i])), g.label(f)
			to.loss += g.sure / perList * loss(p, label)
			d += g.sure / perList * (p - truth(label))
			bend += g.sure / perList * p * (1 - p)
		}
		for k, a := range f.Signals {
			to.slope[a] += d * float64(f.Values[k])
		}
		if bend < faint {
			continue
		}
		for k, a := range f.Signals {
			x := bend * float64(f.Values[k])
			mean[a] += share * float64(f.Values[k])
			row := to.curve[a]
			for l, b := range f.Signals[:k+1] {
				row[b] += x * float64(f.Values[l])
			}
		}
	}
	if order == 0 {
		return
	}
	for a, x := range mean {
		if x == 0 {
			continue
		}
		row := to.curve[a]
		for b, y := range mean[:a+1] {
			row[b] -= x * y / order
		}
	}
}

// minimum returns the weights at which the sum of the losses and of the ridge is smallest. Only
// signals in use have a weight.
func (g *group) minimum(parts []*quadratic) []float64 {
	a, b, n := sum(parts, len(g.use))
	// Without questions the weights are those towards which the ridge pulls.
	pull := cmp.Or(g.ridge, ridge) * max(n, 1)
	for i, used := range g.use {
		a[i][i] += pull
		if g.prior != nil {
			b[i] += pull * g.prior[i]
		}
		if used {
			continue
		}
		for j := range a {
			a[i][j], a[j][i] = 0, 0
		}
		a[i][i], b[i] = 1, 0
	}
	return solve(a, b)
}

// sum returns the curvature of all parts, and the right side of the equation whose solution is
// their minimum.
func sum(parts []*quadratic, d int) (a [][]float64, b []float64, n float64) {
	a, b = make([][]float64, d), make([]float64, d)
	for i := range a {
		a[i] = make([]float64, d)
	}
	for _, p := range parts {
		n += p.n
		for i, row := range p.curve {
			for j, c := range row {
				a[i][j] += c
				b[i] += c * p.at[j]
			}
			b[i] -= p.slope[i]
		}
	}
	return a, b, n
}

func logit(w []float64, f *file) float64 {
	z := 0.0
	for k, s := range f.Signals {
		z += w[s] * float64(f.Values[k])
	}
	return z
}
