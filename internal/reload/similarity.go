package reload

import (
	"fmt"

	"github.com/aoa-dev/aoa/internal/index"
)

// contentFloor is what the words alone must reach: a trigger and a state would reach 0.7 without a common word.
const contentFloor = 0.5

// Match is an entry that fits what is asked now.
type Match struct {
	Entry      *Entry
	Similarity float64 // in [0,1]
	Reason     string  // the parts of the similarity, in words
}

// content compares what is asked now with what an entry began with: the similarity of the requests, or the cosine of the
// vectors if that is more. It is 0 for another trigger, below contentFloor, and when the requests have a Difference.
func (x *entryIndex) content(f Fingerprint, e *Entry) float64 {
	p := e.print
	if f.Type != p.Type || f.exact() && f.Target != p.Target {
		return 0
	}
	j := max(x.requests.Similarity(f.request, p.request), index.Cosine(f.vector, p.vector))
	if j < contentFloor || f.request.Difference(p.request) != "" {
		return 0
	}
	return j
}

// exactly is the similarity of equal exact triggers: 0.5 + 0.3·content + 0.2·(same state).
func exactly(f Fingerprint, e *Entry, j float64) (float64, string) {
	s, state := 0.5+0.3*j, "another state"
	if f.State != "" && f.State == e.State {
		s, state = s+0.2, "the same state"
	}
	return min(s, 1), fmt.Sprintf("same %s %q, words %d%%, %s", f.Type, f.Target, percent(j), state)
}

// freely is the similarity of free prompts: every one would earn the 0.5 of a trigger, and an exact state hardly ever
// returns; so it is 0.75·content + 0.25·(share of the entry's files that are unchanged).
func freely(j, unchanged float64) (float64, string) {
	return min(0.75*j+0.25*unchanged, 1), fmt.Sprintf("words %d%%, files unchanged %d%%", percent(j), percent(unchanged))
}

func percent(f float64) int { return int(f*100 + 0.5) }
