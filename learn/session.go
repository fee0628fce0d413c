package learn

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/redact"
)

const (
	watchID   = "watch"          // the session of saves outside any tool
	toolsID   = "tools"          // no session: the files that tools edited in the last minute
	watchIdle = 30 * time.Minute // after this long without a save the watch session begins again

	maxMentions     = 1024 // files whose mentions a session keeps …
	keepMentions    = 768  // … and how many stay when there are more
	maxIdents       = 8    // identifiers kept of a command or pattern …
	maxPromptIdents = 40   // … and of a prompt
	maxTerms        = 32   // words that are joined to a file opened
)

// Fields of a session that only this package reads, in addition to those of package hot.
const (
	fieldResults = "results"      // results that named files, so far
	fieldSaid    = "sayings"      // commands and patterns, so far
	fieldHinted  = "hinted_edits" // files of the current change that a hint led to, separated by zero bytes
)

// session is the state of a session that its next event depends on, read from hot.
type session struct {
	id          string
	renew       bool // the session in hot is over: it is cleared before anything is written
	clock       int64
	prompts     int64
	prompt      int64                    // clock of the current prompt
	results     int64                    // results that named files, so far
	said        int64                    // commands and patterns so far
	current     event.Path               // file opened last, not by a subagent
	first       []event.Path             // files in first-open order
	order       map[event.Path]int64     // their ordinals
	last        map[event.Path]int64     // file → clock of its last open
	seen        map[event.Path]float64   // file → log2 of its mentions, carried back to clock 0
	terms       map[string]int64         // word → clock of its last use under the current prompt
	edits       map[event.Path]time.Time // the current change: file → its last edit
	hinted      map[event.Path]bool      // of these, those that a hint led to
	promptTerms int                      // words of the current prompt
	promptText  [2]string                // its words and identifiers, as FieldPromptTerms and FieldPromptIdents
	at          time.Time                // time of the last event
	used        int64                    // for eviction
	write       *hot.SessionWrite
}

func newSession(id string) *session {
	return &session{id: id, order: map[event.Path]int64{}, last: map[event.Path]int64{},
		seen: map[event.Path]float64{}, terms: map[string]int64{}, edits: map[event.Path]time.Time{}, hinted: map[event.Path]bool{}}
}

// restored returns the state that hot has.
func restored(id string, v *hot.SessionView) *session {
	s := newSession(id)
	if !v.Exists {
		s.renew = true
		return s
	}
	s.clock, s.prompts = v.Clock, v.Prompt
	s.prompt = number(v.Fields[hot.FieldPromptClock])
	s.results, s.said = number(v.Fields[fieldResults]), number(v.Fields[fieldSaid])
	s.at = time.UnixMilli(number(v.Fields[fieldLastMilli])).UTC()
	s.current = event.Path(v.Fields[hot.FieldCurrent])
	s.order = v.Order
	for p := range v.Order {
		s.first = append(s.first, p)
	}
	s.sortFirst()
	for p, m := range v.Mentions {
		s.seen[p] = math.Log2(max(m, math.SmallestNonzeroFloat64)) + float64(s.clock)/hot.MentionHalf
	}
	s.last, s.terms, s.edits = v.Last, v.TermClock, v.Edits
	s.promptText = [2]string{v.Fields[hot.FieldPromptTerms], v.Fields[hot.FieldPromptIdents]}
	s.promptTerms = len(strings.Fields(s.promptText[0]))
	for p := range strings.SplitSeq(v.Fields[fieldHinted], "\x00") {
		if p != "" {
			s.hinted[event.Path(p)] = true
		}
	}
	return s
}

// fieldLastMilli is the time of the last event in Unix milliseconds: rules about pauses must not depend on a restart.
const fieldLastMilli = "last_ms"

func number(v string) int64 {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return 0 // absent
	}
	return n
}

// over reports whether the session has ended at that time.
func (s *session) over(at time.Time) bool {
	return !s.at.IsZero() && at.Sub(s.at) >= hot.SessionLife
}

// reset begins the session again under the same id.
func (s *session) reset() {
	used := s.used
	*s = *newSession(s.id)
	s.renew, s.used = true, used
}

// begin prepares the session for an event, and resets it if it is over or was idle too long.
func (s *session) begin(f *fold, at time.Time) {
	if s.over(at) || s.id == watchID && !s.at.IsZero() && at.Sub(s.at) > watchIdle {
		if s.id != toolsID {
			f.change(s)
		}
		s.reset()
		s.write = nil
	}
	if at.After(s.at) {
		s.at = at
	}
	if !f.write {
		return
	}
	if s.write == nil {
		s.write = f.batch.Session(s.id)
		if s.renew {
			s.write.Renew()
			s.renew = false
		}
		f.touched = append(f.touched, s)
	}
	s.write.Touch(at)
}

// tick counts a prompt or tool call.
func (s *session) tick() { s.clock++ }

// open records that the file was opened. first is true for the first time in the session, fresh for the first time under the current
// prompt.
func (s *session) open(p event.Path, at time.Time) (first, fresh bool) {
	clock, opened := s.last[p]
	first, fresh = !opened, !opened || clock < s.prompt
	s.last[p] = s.clock
	if first {
		s.order[p] = 1
		if n := len(s.first); n > 0 {
			s.order[p] = s.order[s.first[n-1]] + 1
		}
		s.first = append(s.first, p)
	}
	if s.write != nil {
		s.write.File(p, s.clock, at)
		if first {
			s.write.First(p, s.order[p])
		}
	}
	return first, fresh
}

// mention adds 1/√m for each of m files.
func (s *session) mention(files []event.Path) {
	w := 1 / math.Sqrt(float64(len(files)))
	now := float64(s.clock) / hot.MentionHalf
	for _, p := range files {
		sum := w
		if old, ok := s.seen[p]; ok {
			sum += math.Exp2(old - now)
		}
		s.seen[p] = math.Log2(sum) + now
		if s.write != nil {
			s.write.Seen(p, s.clock, sum)
		}
	}
	if len(s.seen) > maxMentions {
		s.trimMentions()
	}
}

// trimMentions forgets the files that were mentioned least.
func (s *session) trimMentions() {
	files := make([]event.Path, 0, len(s.seen))
	for p := range s.seen {
		files = append(files, p)
	}
	// Compared as float32: numbers that are read back from hot differ in the last bits.
	slices.SortFunc(files, func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(float32(s.seen[b]), float32(s.seen[a])), cmp.Compare(a, b))
	})
	for _, p := range files[keepMentions:] {
		delete(s.seen, p)
		if s.write != nil {
			s.write.Unsee(p)
		}
	}
}

// addTerms adds words to those of the current prompt, and returns those that it did not have.
func (s *session) addTerms(words []string) (fresh []string) {
	for _, w := range words {
		if _, known := s.terms[w]; !known {
			fresh = append(fresh, w)
		}
		s.terms[w] = s.clock
		if s.write != nil {
			s.write.Term(w, s.clock)
		}
	}
	return fresh
}

// termWeight is what each word of the turn counts, where it is used as where a file is opened under it: 1/√n of a prompt of n words.
func (s *session) termWeight() float64 { return 1 / math.Sqrt(float64(max(s.promptTerms, 1))) }

// lastEdit is the time of the newest edit of the current change, zero for none.
func (s *session) lastEdit() (latest time.Time) {
	for _, t := range s.edits {
		if t.After(latest) {
			latest = t
		}
	}
	return latest
}

// hint notes whether a hint led to an edited file. An edit of one's own takes it back.
func (s *session) hint(p event.Path, led bool) {
	if led == s.hinted[p] {
		return
	}
	if led {
		s.hinted[p] = true
	} else {
		delete(s.hinted, p)
	}
	s.setHinted()
}

func (s *session) setHinted() {
	s.set(fieldHinted, strings.Join(event.Strings(slices.Sorted(maps.Keys(s.hinted))), "\x00"))
}

// credit is what the edits of a file count: a quarter where a hint led to it.
func (s *session) credit(p event.Path) float64 {
	if s.hinted[p] {
		return caused
	}
	return 1
}

// endChange forgets the current change.
func (s *session) endChange() {
	if len(s.hinted) > 0 {
		clear(s.hinted)
		s.setHinted()
	}
	s.edits = map[event.Path]time.Time{}
	if s.write != nil {
		s.write.Clear(hot.PartEdits)
	}
}

// words returns the newest terms, at most maxTerms, ties by name.
func (s *session) words() []string {
	ws := make([]string, 0, len(s.terms))
	for w := range s.terms {
		ws = append(ws, w)
	}
	slices.SortFunc(ws, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.terms[b], s.terms[a]), cmp.Compare(a, b))
	})
	return ws[:min(maxTerms, len(ws))]
}

// result records which files a call returned.
func (s *session) result(e event.Event) {
	s.results++
	if s.write != nil {
		s.write.Result(hot.Result{Number: s.results, Clock: s.clock, Prompt: s.prompts, Listing: e.Listing, Files: e.Seen})
		s.write.Set(fieldResults, strconv.FormatInt(s.results, 10))
	}
}

// query records the words of a command or pattern.
func (s *session) query(e event.Event) {
	s.said++
	idents := redact.Identifiers
	if e.Kind == event.KindRun {
		idents = redact.CommandIdentifiers
	}
	if s.write != nil {
		s.write.Wording(hot.Wording{Number: s.said, Clock: s.clock, Prompt: s.prompts, Words: e.Terms, Idents: idents(e.Text, maxIdents)})
		s.write.Set(fieldSaid, strconv.FormatInt(s.said, 10))
	}
}

// set writes a field, unless events are subtracted.
func (s *session) set(field, value string) {
	if s.write != nil {
		s.write.Set(field, value)
	}
}

// save writes the fields that change with every event.
func (s *session) save() {
	s.set(hot.FieldClock, strconv.FormatInt(s.clock, 10))
	s.set(hot.FieldLast, strconv.FormatInt(s.at.Unix(), 10))
	s.set(fieldLastMilli, strconv.FormatInt(s.at.UnixMilli(), 10))
	s.write = nil
}

func (s *session) sortFirst() {
	slices.SortFunc(s.first, func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(s.order[a], s.order[b]), cmp.Compare(a, b))
	})
}

// rename gives a file its new name.
func (s *session) rename(from, to event.Path) {
	if s.current == from {
		s.current = to
	}
	if n, ok := s.order[from]; ok {
		delete(s.order, from)
		s.order[to] = max(n, s.order[to])
		s.first = slices.DeleteFunc(s.first, func(p event.Path) bool { return p == from || p == to })
		s.first = append(s.first, to)
		s.sortFirst()
	}
	if c, ok := s.last[from]; ok {
		delete(s.last, from)
		s.last[to] = max(c, s.last[to])
	}
	if m, ok := s.seen[from]; ok {
		delete(s.seen, from)
		if old, ok := s.seen[to]; !ok || m > old {
			s.seen[to] = m
		}
	}
	if t, ok := s.edits[from]; ok {
		delete(s.edits, from)
		if t.After(s.edits[to]) {
			s.edits[to] = t
		}
		if s.hinted[from] {
			delete(s.hinted, from)
			s.hinted[to] = true
		}
	}
}
