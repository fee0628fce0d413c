package reload

import (
	"slices"

	"github.com/aoa-dev/aoa/internal/index"
)

// entryIndex finds the entries whose prompts share much with another one.
type entryIndex struct {
	requests  *index.Requests[*Entry]
	wordless  map[Trigger][]*Entry // exact triggers without words
	vectorial []*Entry             // entries with a vector
}

// maxCandidates bounds the entries that are compared. More would share a gram that half of the query's weight depends on. Such a
// query is no request but a habit.
const maxCandidates = 256

func newEntryIndex() *entryIndex {
	return &entryIndex{requests: index.NewRequests[*Entry](), wordless: map[Trigger][]*Entry{}}
}

func (x *entryIndex) add(e *Entry) {
	x.requests.Add(e, e.print.request)
	if e.print.request.Len() == 0 {
		x.wordless[e.print.Trigger] = append(x.wordless[e.print.Trigger], e)
	}
	if e.print.vector != nil {
		x.vectorial = append(x.vectorial, e)
	}
}

func (x *entryIndex) remove(e *Entry) {
	without := func(list []*Entry) []*Entry {
		return slices.DeleteFunc(list, func(o *Entry) bool { return o == e })
	}
	x.requests.Remove(e, e.print.request)
	if e.print.request.Len() == 0 {
		x.wordless[e.print.Trigger] = without(x.wordless[e.print.Trigger])
	}
	x.vectorial = without(x.vectorial)
}

// candidates returns all entries that can reach the content floor, and some others, at most maxCandidates.
func (x *entryIndex) candidates(f Fingerprint) []*Entry {
	out := x.requests.Candidates(f.request, contentFloor, maxCandidates)
	more := x.wordless[f.Trigger]
	switch {
	case f.vector != nil:
		more = x.vectorial
	case f.request.Len() > 0:
		more = nil
	}
	for _, e := range slices.Backward(more) { // the newest first
		if len(out) == maxCandidates {
			break
		}
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}
