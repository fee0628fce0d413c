package hot

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Result is what a call of the session returned to the agent: the files that it named, in their order.
type Result struct {
	Number  int64 // of the session's results, from 1
	Clock   int64 // event clock
	Prompt  int64 // ordinal of the prompt that it came under
	Listing bool  // a list of matches or files, not content
	Files   []event.Path
}

// Said is the words of a command or a search pattern of the session.
type Said struct {
	Number int64 // of the session's commands and patterns, from 1
	Clock  int64
	Prompt int64
	Words  []string // terms
	Idents []string // identifiers of two words or more, in plain form (see index.Identifiers)
}

// How many of each a session keeps: fields by their number modulo this.
const (
	KeepResults = 12
	KeepSaid    = 8
)

const (
	resultPrefix = "result:"
	saidPrefix   = "said:"
	part0        = "\x00" // no path, word or number has it
	listingMark  = "l"
)

// Result records what a call returned. It takes the place of the one KeepResults before.
func (s *SessionWrite) Result(r Result) *SessionWrite {
	parts := append([]string{number(r.Number), number(r.Clock), number(r.Prompt), ""}, event.Strings(r.Files)...)
	if r.Listing {
		parts[3] = listingMark
	}
	return s.Set(ring(resultPrefix, r.Number, KeepResults), strings.Join(parts, part0))
}

// Said records the words of a command or pattern. It takes the place of the one KeepSaid before.
func (s *SessionWrite) Said(w Said) *SessionWrite {
	return s.Set(ring(saidPrefix, w.Number, KeepSaid), strings.Join([]string{number(w.Number), number(w.Clock), number(w.Prompt),
		strings.Join(w.Words, " "), strings.Join(w.Idents, " ")}, part0))
}

// clearResults empties the ring: the agent's context has been emptied of them.
func (s *SessionWrite) clearResults() {
	for i := range int64(KeepResults) {
		s.Set(ring(resultPrefix, i, KeepResults), "")
	}
}

func ring(prefix string, n, keep int64) string { return prefix + number(n%keep) }

func number(n int64) string { return strconv.FormatInt(n, 10) }

// rings reads results and words, the newest first. What a stranger on a shared server wrote is left out.
func (s *SessionView) rings() {
	for field, value := range s.Fields {
		switch {
		case strings.HasPrefix(field, resultPrefix):
			if parts := strings.Split(value, part0); len(parts) >= 4 {
				r := Result{Listing: parts[3] == listingMark, Files: event.Paths(parts[4:])}
				if numbers(parts, &r.Number, &r.Clock, &r.Prompt) {
					s.Results = append(s.Results, r)
				}
			}
		case strings.HasPrefix(field, saidPrefix):
			if parts := strings.Split(value, part0); len(parts) == 5 {
				w := Said{Words: strings.Fields(parts[3]), Idents: strings.Fields(parts[4])}
				if numbers(parts, &w.Number, &w.Clock, &w.Prompt) {
					s.Said = append(s.Said, w)
				}
			}
		}
	}
	slices.SortFunc(s.Results, func(a, b Result) int { return cmp.Compare(b.Number, a.Number) })
	slices.SortFunc(s.Said, func(a, b Said) int { return cmp.Compare(b.Number, a.Number) })
}

func numbers(parts []string, to ...*int64) bool {
	for i, p := range to {
		n, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil {
			return false
		}
		*p = n
	}
	return true
}
