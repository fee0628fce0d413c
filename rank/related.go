package rank

import (
	"math"
	"slices"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// Limits for similar names.
const (
	comparedFiles = 3  // current files, the newest, whose names are compared
	commonWord    = 64 // a word in more paths than this leads to no candidates
	maxRelatives  = 24 // candidates that are found by names
)

// relatives adds files whose names share words with the name of the newest current file.
func (x *queryContext) relatives(p *pool) {
	x.compared = x.files[max(0, len(x.files)-comparedFiles):]
	left := maxRelatives
	for _, w := range x.baseTerms(x.newest()) {
		with := x.tree.Word(w)
		if len(with) > commonWord {
			continue
		}
		for _, f := range with {
			if p.index[f] == nil && left > 0 && slices.Contains(x.baseTerms(f), w) {
				left--
				p.get(f)
			}
		}
	}
}

// nameShare returns how much of a file's name also occurs in the name of a current file, with rare
// words counting more. If there are several current files the best counts.
func (x *queryContext) nameShare(f event.Path) float64 {
	if len(x.compared) == 0 {
		return 0
	}
	mine := x.baseTerms(f)
	best := 0.0
	for _, g := range x.compared {
		shared := 0.0
		for _, w := range x.baseTerms(g) {
			if slices.Contains(mine, w) {
				shared += x.rarity(w)
			}
		}
		best = max(best, shared)
	}
	if best == 0 {
		return 0 // most names share no word
	}
	all := 1.0
	for _, w := range mine {
		all += x.rarity(w)
	}
	return unit(best / all)
}

func (x *queryContext) rarity(w string) float64 {
	r, known := x.rare[w]
	if !known {
		if x.rare == nil {
			x.rare = map[string]float64{}
		}
		r = index.Rarity(x.tree.Len(), len(x.tree.Word(w)))
		x.rare[w] = r
	}
	return r
}

// callsHalf is the value of calls at which the signal is one half: one name that no other file
// defines.
const (
	callsHalf = 1.0
	callsFade = 0.8 // weight of a current file relative to the next newer one
)

func calls(defined float64) float64 { return unit(defined / (callsHalf + defined)) }

// calling adds files that define names used by the newest current files.
func (x *queryContext) calling(p *pool) {
	fade := 1.0
	for i := len(x.files) - 1; i >= max(0, len(x.files)-alikeFiles); i-- {
		for _, f := range x.contents.Called(x.files[i], maxSaid) {
			c := p.get(f.Path)
			if v := fade * calls(f.Weight); v > c.calls {
				c.calls, c.calledBy = v, x.files[i]
			}
		}
		fade *= callsFade
	}
}

// freshCommitted returns 1/log₂(2 + commits since the file's own). It is 0 once the session has
// opened a file.
func (x *queryContext) freshCommitted(f event.Path) float64 {
	if len(x.open) > 0 || x.commits == nil {
		return 0
	}
	if x.commitAgo == nil {
		x.commitAgo = map[event.Path]int{}
		n := 0
		for i, name := range x.commits.Members {
			if i > 0 && x.commits.Values[i] != x.commits.Values[i-1] {
				n++
			}
			x.commitAgo[event.Path(name)] = n
		}
	}
	n, known := x.commitAgo[f]
	if !known {
		return 0
	}
	return 1 / math.Log2(float64(2+n))
}
