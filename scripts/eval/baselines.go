package main

import (
	"math"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// names are what aOa is compared with, in the order of the table.
var names = []string{"recent", "frequent", "zoxide", "frecency", "cochange", "coaccess", "successor", "seed"}

// baselines are the simple rules of `aoa eval` and further ones, which count in maps and slices, too.
type baselines struct {
	*eval.Rules
	more  []habit // by the number of the file
	total float64 // Σ visit

	prompts  map[string][]string // session → words of its newest prompt
	sessions eval.Pairs          // files opened in one session
	moves    eval.Pairs          // file opened next
	close    eval.Pairs          // the seed's co-modification: touched within five minutes
	recent   []touch
}

// habit is what the further rules count of a file.
type habit struct {
	visit float64         // zoxide's rank
	decay float64         // touches with a half-life of three days, worth at `at`
	at    float64         // unix seconds
	words map[string]bool // the seed's tags: words of the path, and of prompts that it was opened under
}

type touch struct {
	id int
	at float64
}

const (
	zoxideMaxAge   = 10_000
	frecencyHalf   = 3 * 24 * 3600.0
	closeBy        = 300.0
	maxCloseByOnce = 100
)

func newBaselines() *baselines {
	b := &baselines{Rules: eval.NewRules(), prompts: map[string][]string{}, sessions: eval.NewPairs(),
		moves: eval.NewPairs(), close: eval.NewPairs()}
	b.Touching, b.Opening = b.touch, b.opened
	return b
}

// learn counts one event.
func (b *baselines) learn(e event.Event) {
	if e.Kind() == event.KindPrompt {
		b.prompts[e.Session] = e.Terms()
	}
	b.Learn(e)
}

// habits are those of all files.
func (b *baselines) habits() []habit {
	for i := len(b.more); i < len(b.Files); i++ {
		words := map[string]bool{}
		for _, w := range index.PathTerms(b.Files[i].Path) {
			words[w] = true
		}
		b.more = append(b.more, habit{words: words})
	}
	return b.more
}

// opened counts an open before the session knows it.
func (b *baselines) opened(s *eval.Opened, id int) {
	for _, w := range b.prompts[s.ID] {
		b.habits()[id].words[w] = true
	}
	if n := len(s.Order); n > 0 && s.Order[n-1] != id {
		b.moves.Add(s.Order[n-1], id)
		b.moves.N[s.Order[n-1]]++
	}
	if slices.Contains(s.Order, id) {
		return
	}
	for _, other := range s.Order {
		b.sessions.Add(id, other)
		b.sessions.Add(other, id)
	}
	b.sessions.N[id]++
}

// touch counts an access for the measures of recency and frequency.
func (b *baselines) touch(id int, at float64) {
	h := &b.habits()[id]
	h.decay = h.decay*math.Exp2(-max(0, at-h.at)/frecencyHalf) + 1
	h.at = max(h.at, at)
	h.visit++
	if b.total++; b.total > zoxideMaxAge {
		b.age()
	}
	b.recent = slices.DeleteFunc(b.recent, func(t touch) bool { return at-t.at > closeBy || t.id == id })
	if len(b.recent) < maxCloseByOnce {
		for _, t := range b.recent {
			b.close.Add(id, t.id)
			b.close.Add(t.id, id)
		}
		b.recent = append(b.recent, touch{id, at})
	}
}

// age is that of zoxide: when the sum of the ranks is too large, all shrink, and the smallest are removed.
func (b *baselines) age() {
	factor := 0.9 * zoxideMaxAge / b.total
	b.total = 0
	for i := range b.more {
		h := &b.more[i]
		if h.visit *= factor; h.visit < 1 {
			h.visit = 0
		}
		b.total += h.visit
	}
}

// comparison is one question as the baselines see it.
type comparison struct {
	eval.RuleQuestion
	b     *baselines
	words []string // of the prompt
}

func (b *baselines) comparison(d *eval.Decision) comparison {
	return comparison{b.Question(d.Query), b, b.prompts[d.Query.Session]}
}

// score scores every file. 0 means that the baseline does not list it.
func (c comparison) score(baseline string, out []float64) {
	clear(out)
	switch baseline {
	case "recent":
		c.Score(eval.Recent, out)
	case "frequent":
		c.Score(eval.Frequent, out)
	case "zoxide":
		for i, h := range c.b.habits() {
			out[i] = h.visit * zoxideFactor(c.Now-c.b.Files[i].Last)
		}
	case "frecency":
		for i, h := range c.b.habits() {
			if h.decay > 0 {
				out[i] = h.decay * math.Exp2(-(c.Now-h.at)/frecencyHalf)
			}
		}
	case "cochange":
		c.Score(eval.Together, out)
	case "coaccess":
		c.NoisyOr(c.b.sessions, out)
	case "successor":
		if len(c.Hand) > 0 {
			for id, n := range c.b.moves.With[c.Hand[len(c.Hand)-1]] {
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

// seed is the formula of aOa's first specification: .30 recency with a half-life of an hour, .20 ln(1+count)/ln(101),
// .25 min(5, tags in common)/5, .15 min(1, times touched within five minutes of the current file/10), .10 affinity to
// the session, and 0.1 for each access short of three. What it leaves open is read in its favor: tags are the
// words of the path and of prompts that the file was opened under, edges never fade, affinity is co-access.
func (c comparison) seed(out []float64) {
	c.NoisyOr(c.b.sessions, out)
	var near map[int]float64
	if len(c.Hand) > 0 {
		near = c.b.close.With[c.Hand[len(c.Hand)-1]]
	}
	for i, h := range c.b.habits() {
		f := c.b.Files[i]
		score := .10 * out[i]
		if f.Count > 0 {
			score += .30*math.Exp2(-max(0, c.Now-f.Last)/time.Hour.Seconds()) + .20*min(1,
				math.Log1p(f.Count)/math.Log(101))
		}
		tags := 0
		for _, w := range c.words {
			if h.words[w] {
				tags++
			}
		}
		score += .25*float64(min(tags, 5))/5 + .15*min(1, near[i]/10)
		if f.Count < 3 {
			score += 0.1 * (3 - f.Count)
		}
		out[i] = score
	}
}

// place is the place from 1 of the file among those that count. Files with equal scores share their places. A file
// without a score has place 0.
func (c comparison) place(scores []float64, file event.Path, counts func(event.Path) bool) int {
	id := c.b.Number(file)
	if id >= len(scores) || scores[id] <= 0 {
		return 0
	}
	better, equal := 0, 0
	for i, v := range scores {
		if v < scores[id] || i == id || !c.Answers(i, counts) {
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
