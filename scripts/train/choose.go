package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/rank"
)

// fittedGroup is a group with the loss of each part of its repositories.
type fittedGroup struct {
	g     *group
	parts []*quadratic
}

// worth is the loss of repositories left out, added up over the groups, that a signal has to spare to keep its place.
const worth = 0.005

// ofQuestion are signals that are the same for all files of a question: they make scores probabilities, and cost
// nothing.
var ofQuestion = map[string]bool{rank.Bias.String(): true}

// choose finds the signals that no group needs: one by one it takes away the signal without which repositories left out
// lose least, all groups together, until at most most are left and each of these is worth its place. The loss is that
// of its second order, so nothing is fitted for it.
func choose(fits []fittedGroup, names []string, most int, verbose bool) (gone []int) {
	var trials []*trial
	for _, f := range fits {
		trials = append(trials, f.trials()...)
	}
	left := inUse(fits)
	left = slices.DeleteFunc(left, func(i int) bool { return ofQuestion[names[i]] })
	for len(left) > 0 && len(trials) > 0 {
		grows := make([]float64, len(names))
		for _, t := range trials {
			t.grow(left, grows)
		}
		least := slices.MinFunc(left, func(a, b int) int { return cmp.Compare(grows[a], grows[b]) })
		if grows[least] > worth && len(left) <= most {
			if verbose {
				report(names, left, grows)
			}
			break
		}
		if verbose {
			fmt.Fprintf(os.Stderr, "without %s: %+.4f\n", names[least], grows[least])
		}
		for _, t := range trials {
			t.drop(least)
		}
		left = slices.DeleteFunc(left, func(i int) bool { return i == least })
		gone = append(gone, least)
	}
	return gone
}

// report prints what each signal that is left is worth.
func report(names []string, left []int, grows []float64) {
	left = slices.SortedFunc(slices.Values(left), func(a, b int) int { return cmp.Compare(grows[b], grows[a]) })
	var out []string
	for _, i := range left {
		out = append(out, fmt.Sprintf("%s %.4f", names[i], grows[i]))
	}
	fmt.Fprintf(os.Stderr, "%d signals stay: %s\n", len(left), strings.Join(out, ", "))
}

// inUse are the signals that some group has.
func inUse(fits []fittedGroup) (out []int) {
	for i := range fits[0].g.use {
		if slices.ContainsFunc(fits, func(f fittedGroup) bool { return f.g.use[i] }) {
			out = append(out, i)
		}
	}
	return out
}

// trial is a group's loss with one part of the repositories left out: the weights come from the others.
type trial struct {
	w       []float64
	inverse [][]float64 // of the others' curvature, for the signals that are left
	out     *quadratic
	n       float64 // weight of all parts
}

// trials leaves out each part in turn. One part alone has nothing to be judged by.
func (f fittedGroup) trials() (out []*trial) {
	if len(f.parts) < 2 {
		return nil
	}
	for j, left := range f.parts {
		others := slices.Delete(slices.Clone(f.parts), j, j+1)
		a, _, n := sum(others, len(f.g.use))
		for i := range a {
			a[i][i] += cmp.Or(f.g.ridge, ridge) * max(n, 1)
		}
		t := &trial{w: f.g.minimum(others), inverse: invert(a), out: left, n: n + left.n}
		for i, used := range f.g.use {
			if !used {
				t.drop(i)
			}
		}
		out = append(out, t)
	}
	return out
}

// grow adds how much the loss grows without each signal that is left, the weights of the others being fitted again.
func (t *trial) grow(left []int, grows []float64) {
	slope := make([]float64, len(t.w))
	for _, i := range left {
		slope[i] = t.out.slope[i]
		for j, c := range t.out.curve[i] {
			slope[i] += c * (t.w[j] - t.out.at[j])
		}
	}
	for _, i := range left {
		v := t.inverse[i]
		if t.w[i] == 0 {
			continue
		}
		step := t.w[i] / v[i]
		first, second := 0.0, 0.0
		for _, a := range left {
			bend := 0.0
			for _, b := range left {
				bend += t.out.curve[a][b] * v[b]
			}
			first, second = first+slope[a]*v[a], second+v[a]*bend
		}
		grows[i] += step * (step*second/2 - first) / t.n
	}
}

// drop takes a signal away: the weights and the inverse become those of a fit without it (block inversion).
func (t *trial) drop(i int) {
	v := slices.Clone(t.inverse[i])
	if v[i] == 0 {
		return
	}
	step := t.w[i] / v[i]
	for a := range t.w {
		t.w[a] -= step * v[a]
		if f := v[a] / v[i]; f != 0 {
			for b := range v {
				t.inverse[a][b] -= f * v[b]
			}
		}
	}
	for a := range t.w {
		t.inverse[a][i], t.inverse[i][a] = 0, 0
	}
	t.w[i] = 0
}
