package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/scripts/recorded"
)

// table adds up shares by method, measure, repository and question. It may be shared.
type table struct {
	mu   sync.Mutex
	sums map[[2]string]map[string][]recorded.Ratio // method, measure → repository → questions
}

// add counts of a method a sum over n questions that belong together.
func (t *table) add(method, measure, repo string, sum float64, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := [2]string{method, measure}
	if t.sums == nil {
		t.sums = map[[2]string]map[string][]recorded.Ratio{}
	}
	if t.sums[key] == nil {
		t.sums[key] = map[string][]recorded.Ratio{}
	}
	t.sums[key][repo] = append(t.sums[key][repo], recorded.Ratio{Sum: sum, N: float64(n)})
}

// place counts a question whose right file stands at a place from 1, 0 if it does not.
func (t *table) place(method, repo string, place int) {
	within := func(n int) float64 {
		if place > 0 && place <= n {
			return 1
		}
		return 0
	}
	for _, n := range []int{1, 3, 5, 10} {
		t.add(method, fmt.Sprint("@", n), repo, within(n), 1)
	}
	t.add(method, "MRR", repo, within(100)/float64(max(place, 1)), 1)
}

// asked is how many questions a method got.
func (t *table) asked(method, measure string) (n int) {
	for _, questions := range t.sums[[2]string{method, measure}] {
		for _, q := range questions {
			n += int(q.N)
		}
	}
	return n
}

// mean is the mean over repositories; one without questions does not count.
func (t *table) mean(method, measure string) float64 {
	var all recorded.Ratio
	for _, repo := range t.by(method, measure) {
		all.Sum, all.N = all.Sum+repo, all.N+1
	}
	return all.Value()
}

// by is the mean of each repository.
func (t *table) by(method, measure string) map[string]float64 {
	out := map[string]float64{}
	for repo, questions := range t.sums[[2]string{method, measure}] {
		var r recorded.Ratio
		for _, q := range questions {
			r.Sum, r.N = r.Sum+q.Sum, r.N+q.N
		}
		if r.N > 0 {
			out[repo] = r.Value()
		}
	}
	return out
}

// cell is a mean with its 95 % interval.
func (t *table) cell(method, measure string) string {
	m := t.sums[[2]string{method, measure}]
	if t.asked(method, measure) == 0 {
		return "–"
	}
	var repos [][]recorded.Ratio
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if slices.ContainsFunc(m[name], func(r recorded.Ratio) bool { return r.N > 0 }) {
			repos = append(repos, m[name])
		}
	}
	in := recorded.Interval(repos)
	return fmt.Sprintf("%s (%s–%s)", two(t.mean(method, measure)), two(in[0]), two(in[1]))
}

// losses are the repositories in which another method is better than aOa, with both numbers.
func (t *table) losses(measure string, others []string) string {
	var out []string
	own := t.by(aoa, measure)
	for _, repo := range slices.Sorted(maps.Keys(own)) {
		best, of := own[repo], ""
		for _, m := range others {
			if v, asked := t.by(m, measure)[repo]; asked && v > best {
				best, of = v, m
			}
		}
		if of != "" {
			out = append(out, fmt.Sprintf("%s %s against %s of %s", repo, two(own[repo]), two(best), of))
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, "; ")
}

const aoa = "**aOa**"

// row is a line of a table.
func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// two digits, without the zero that all begin with.
func two(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.2f", x), "0") }
