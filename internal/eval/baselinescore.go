package eval

import (
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
)

// Baselines are the names of what aOa is compared with, in the order of the table.
var Baselines = []string{"recent", "frequent", "zoxide", "frecency", "cochange", "coaccess", "successor", "seed"}

// comparison is one question as the baselines see it.
type comparison struct {
	r     *baselines
	s     *baselineSession // nil at a commit
	hand  []int            // current files, newest last
	words []string
	now   float64 // unix seconds
	free  func(id int) bool
}

// comparison is a decision as the baselines see it.
func (r *baselines) comparison(d *Decision) comparison {
	c := comparison{r: r, now: float64(d.Query.At.UnixMilli()) / 1000}
	if d.Query.Task == event.TaskChange {
		in := map[int]bool{}
		for _, p := range d.Query.Files {
			c.hand = append(c.hand, r.id(p))
			in[r.id(p)] = true
		}
		c.free = func(id int) bool { return !in[id] }
		return c
	}
	c.s = r.session(d.Session)
	c.hand = c.s.order[max(0, len(c.s.order)-currentFiles):]
	c.words = c.s.words
	c.free = func(id int) bool { return !c.s.has[id] }
	return c
}

// score scores every file. 0 means that the baseline does not list it.
func (c comparison) score(baseline string, out []float64) {
	r := c.r
	clear(out)
	switch baseline {
	case "recent":
		copy(out, r.last)
	case "frequent":
		copy(out, r.count)
	case "zoxide":
		for i, v := range r.visit {
			out[i] = v * zoxideFactor(c.now-r.last[i])
		}
	case "frecency":
		for i, v := range r.decay {
			if v > 0 {
				out[i] = v * math.Exp2(-(c.now-r.at[i])/frecencyHalf)
			}
		}
	case "cochange":
		c.noisyOr(r.commits, out)
	case "coaccess":
		c.noisyOr(r.sessions, out)
	case "successor":
		if len(c.hand) > 0 {
			for id, n := range r.moves.with[c.hand[len(c.hand)-1]] {
				out[id] = n
			}
		}
	case "seed":
		c.seed(out)
	}
}

// zoxideFactor is what zoxide multiplies a rank with, by the age in seconds.
func zoxideFactor(age float64) float64 {
	switch {
	case age < 3600:
		return 4
	case age < 24*3600:
		return 2
	case age < 7*24*3600:
		return 0.5
	}
	return 0.25
}

// noisyOr is 1 − Π(1 − count together / count of the current file).
func (c comparison) noisyOr(p pairs, out []float64) {
	for _, q := range c.hand {
		n := p.n[q]
		for id, with := range p.with[q] {
			out[id] = 1 - (1-out[id])*(1-min(with/(n+.01), .99))
		}
	}
}

// seed is the formula of aOa's first specification: .30 recency with a half-life of an hour, .20 ln(1+count)/ln(101),
// .25 min(5, tags in common)/5, .15 min(1, times touched within five minutes of the current file/10), .10 affinity to
// the session, and 0.1 for each access short of three. What it leaves open is read in its favour: tags are the
// words of the path and of prompts that the file was opened under, edges never fade, affinity is co-access.
func (c comparison) seed(out []float64) {
	r := c.r
	c.noisyOr(r.sessions, out)
	var near map[int]float64
	if len(c.hand) > 0 {
		near = r.close.with[c.hand[len(c.hand)-1]]
	}
	for i := range out {
		score := .10 * out[i]
		if r.count[i] > 0 {
			score += .30*math.Exp2(-hours(max(0, c.now-r.last[i]))) + .20*min(1, math.Log1p(r.count[i])/math.Log(101))
		}
		tags := 0
		for _, w := range c.words {
			if r.words[i][w] {
				tags++
			}
		}
		score += .25*float64(min(tags, 5))/5 + .15*min(1, near[i]/10)
		if r.count[i] < 3 {
			score += 0.1 * (3 - r.count[i])
		}
		out[i] = score
	}
}

// place is the place of the file among those that count. Files with equal scores share their places. A file without a score
// has place 0.
func (c comparison) place(scores []float64, file event.Path, counts func(event.Path) bool) int {
	id := c.r.id(file)
	if id >= len(scores) || scores[id] <= 0 {
		return 0
	}
	better, equal := 0, 0
	for i, v := range scores {
		if v < scores[id] || i == id || !c.r.live[i] || !c.free(i) || !counts(c.r.paths[i]) {
			continue
		}
		if v > scores[id] {
			better++
		} else {
			equal++
		}
	}
	return 1 + better + equal/2
}

// top lists the ten best files that count, ties by path.
func (c comparison) top(scores []float64, counts func(event.Path) bool) []event.Path {
	var best []int
	before := func(a, b int) bool {
		return scores[a] > scores[b] || scores[a] == scores[b] && c.r.paths[a] < c.r.paths[b]
	}
	for i, v := range scores {
		full := len(best) == dumped
		if v <= 0 || full && !before(i, best[dumped-1]) || !c.r.live[i] || !c.free(i) || !counts(c.r.paths[i]) {
			continue
		}
		at := len(best)
		for at > 0 && before(i, best[at-1]) {
			at--
		}
		best = slices.Insert(best, at, i)
		best = best[:min(len(best), dumped)]
	}
	out := make([]event.Path, len(best))
	for i, id := range best {
		out[i] = c.r.paths[id]
	}
	return out
}
