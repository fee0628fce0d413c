package rank

import (
	"math"

	"github.com/aoa-dev/aoa/internal/event"
)

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
	if len(x.did.Opened) > 0 || x.commits == nil {
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
