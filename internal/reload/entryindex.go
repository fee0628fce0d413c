package reload

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/index"
)

// entryIndex finds the entries whose prompts share much with another one.
type entryIndex struct {
	requests *index.Requests[*Entry]
	wordless map[Trigger][]*Entry // exact triggers without words
}

// maxCandidates bounds the entries that are compared. Words that more entries share distinguish nothing.
const maxCandidates = 256

func newEntryIndex() *entryIndex {
	return &entryIndex{requests: index.NewRequests[*Entry](), wordless: map[Trigger][]*Entry{}}
}

func (x *entryIndex) add(e *Entry) {
	x.requests.Add(e, e.print.request)
	if e.print.request.Len() == 0 {
		x.wordless[e.Trigger] = append(x.wordless[e.Trigger], e)
	}
}

func (x *entryIndex) remove(e *Entry) {
	x.requests.Remove(e, e.print.request)
	if e.print.request.Len() == 0 {
		x.wordless[e.Trigger] = slices.DeleteFunc(x.wordless[e.Trigger], func(o *Entry) bool { return o == e })
	}
}

// candidates returns all entries that can reach the content floor, and some others, at most maxCandidates.
func (x *entryIndex) candidates(f fingerprint) []*Entry {
	if f.request.Len() > 0 {
		return x.requests.Candidates(f.request, contentFloor, maxCandidates)
	}
	newest := slices.Clone(x.wordless[f.Trigger])
	slices.Reverse(newest)
	return newest[:min(len(newest), maxCandidates)]
}

// content is the similarity of the words of what is asked now and of what an entry began with. It is 0 for another
// trigger, below contentFloor, and when the requests have a Difference.
func (x *entryIndex) content(f fingerprint, e *Entry) float64 {
	p := e.print
	if f.Type != p.Type || f.exact() && f.Target != p.Target {
		return 0
	}
	j := x.requests.Similarity(f.request, p.request)
	if j < contentFloor || f.request.Difference(p.request) != "" {
		return 0
	}
	return j
}
