package eval

import (
	"math"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// baselines is what the simple rules learn: counts in maps and slices, without learn, hot or rank.
type baselines struct {
	ids   map[event.Path]int
	paths []event.Path
	live  []bool            // there at the moment
	last  []float64         // unix seconds of the last touch: a file event, or a commit
	count []float64         // touches
	visit []float64         // zoxide's rank
	total float64           // Σ visit
	decay []float64         // touches with a half-life of three days, worth at decayAt
	at    []float64         // unix seconds
	words []map[string]bool // the seed's tags: words of the path, and of prompts that it was opened under

	commits  pairs // files of one commit
	sessions pairs // files opened in one session
	moves    pairs // file opened next
	close    pairs // the seed's co-modification: touched within five minutes
	recent   []touch
	open     map[string]*baselineSession
}

type touch struct {
	id int
	at float64
}

// pairs counts how often two files occurred together, and how often the first occurred at all.
type pairs struct {
	with map[int]map[int]float64
	n    map[int]float64
}

func newPairs() pairs { return pairs{map[int]map[int]float64{}, map[int]float64{}} }

func (p pairs) add(a, b int) {
	m := p.with[a]
	if m == nil {
		m = map[int]float64{}
		p.with[a] = m
	}
	m[b]++
}

// baselineSession is what a session has opened, and the words of its prompt.
type baselineSession struct {
	order []int
	has   map[int]bool
	now   int // file opened last, -1 none
	words []string
}

const (
	currentFiles   = 5   // current files that count
	mostPairs      = 100 // files of a commit up to which its pairs count
	zoxideMaxAge   = 10_000
	frecencyHalf   = 3 * 24 * 3600.0
	closeBy        = 300.0
	maxCloseByOnce = 100
)

func newBaselines() *baselines {
	return &baselines{ids: map[event.Path]int{}, commits: newPairs(), sessions: newPairs(), moves: newPairs(), close: newPairs(),
		open: map[string]*baselineSession{}}
}

func (r *baselines) id(p event.Path) int {
	if i, known := r.ids[p]; known {
		return i
	}
	i := len(r.paths)
	r.ids[p] = i
	r.paths = append(r.paths, p)
	r.live, r.last, r.count = append(r.live, false), append(r.last, 0), append(r.count, 0)
	r.visit, r.decay, r.at = append(r.visit, 0), append(r.decay, 0), append(r.at, 0)
	words := map[string]bool{}
	for _, w := range index.PathTerms(p) {
		words[w] = true
	}
	r.words = append(r.words, words)
	return i
}

// learn counts one event.
func (r *baselines) learn(e event.Event) {
	switch {
	case e.Kind == event.KindCommit:
		r.commit(e)
	case e.Kind == event.KindRename, e.Kind == event.KindDelete:
		for _, p := range append(e.From[:len(e.From):len(e.From)], e.Paths...) {
			r.live[r.id(p)] = e.Kind == event.KindRename && slices.Contains(e.Paths, p)
		}
	case e.Kind == event.KindPrompt:
		r.session(e.Session).words = e.Terms
	case opens(e):
		s := r.session(e.Session)
		for _, p := range e.Paths {
			r.opened(s, r.id(p), float64(e.Time.UnixMilli())/1000)
		}
	}
	if e.Listing {
		for _, p := range e.Seen {
			r.live[r.id(p)] = true
		}
	}
}

func (r *baselines) commit(e event.Event) {
	ids := make([]int, len(e.Paths))
	for i, p := range e.Paths {
		ids[i] = r.id(p)
		r.live[ids[i]] = true
		r.touch(ids[i], float64(e.Time.UnixMilli())/1000)
	}
	for _, p := range e.Gone {
		r.live[r.id(p)] = false
	}
	if len(ids) > mostPairs {
		return
	}
	for _, a := range ids {
		r.commits.n[a]++
		for _, b := range ids {
			if a != b {
				r.commits.add(a, b)
			}
		}
	}
}

func (r *baselines) session(id string) *baselineSession {
	s := r.open[id]
	if s == nil {
		s = &baselineSession{has: map[int]bool{}, now: -1}
		r.open[id] = s
	}
	return s
}

func (r *baselines) opened(s *baselineSession, id int, at float64) {
	r.live[id] = true
	r.touch(id, at)
	for _, w := range s.words {
		r.words[id][w] = true
	}
	if s.now >= 0 && s.now != id {
		r.moves.add(s.now, id)
		r.moves.n[s.now]++
	}
	s.now = id
	if s.has[id] {
		s.order = append(slices.DeleteFunc(s.order, func(x int) bool { return x == id }), id)
		return
	}
	for _, other := range s.order {
		r.sessions.add(id, other)
		r.sessions.add(other, id)
	}
	r.sessions.n[id]++
	s.has[id] = true
	s.order = append(s.order, id)
}

// touch counts an access for the measures of recency and frequency.
func (r *baselines) touch(id int, at float64) {
	r.last[id] = max(r.last[id], at)
	r.count[id]++
	r.decay[id] = r.decay[id]*math.Exp2(-max(0, at-r.at[id])/frecencyHalf) + 1
	r.at[id] = max(r.at[id], at)
	r.visit[id]++
	if r.total++; r.total > zoxideMaxAge {
		r.age()
	}
	r.recent = slices.DeleteFunc(r.recent, func(t touch) bool { return at-t.at > closeBy || t.id == id })
	if len(r.recent) < maxCloseByOnce {
		for _, t := range r.recent {
			r.close.add(id, t.id)
			r.close.add(t.id, id)
		}
		r.recent = append(r.recent, touch{id, at})
	}
}

// age is that of zoxide: when the sum of the ranks is too large, all shrink, and the smallest are removed.
func (r *baselines) age() {
	factor := 0.9 * zoxideMaxAge / r.total
	r.total = 0
	for i := range r.visit {
		if r.visit[i] *= factor; r.visit[i] < 1 {
			r.visit[i] = 0
		}
		r.total += r.visit[i]
	}
}

func hours(seconds float64) float64 { return seconds / time.Hour.Seconds() }
