package hot

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// SessionView is a session as it is at the view's time. Maps are never nil after Load. A session whose deadline has
// passed does not exist, whether a tick has removed it or not.
type SessionView struct {
	Exists      bool
	Fields      map[string]string
	Clock       int64                    // events so far
	Prompt      int64                    // ordinal of the current prompt, 0 before the first
	Files       []event.Path             // opened files, the last opened last
	Opened      map[event.Path]time.Time // when each was opened last
	Last        map[event.Path]int64     // event clock of the last open
	Order       map[event.Path]int64     // ordinal of the first open, from 1
	Named       map[event.Path]int64     // named by the current prompt → its ordinal
	NamedBefore map[event.Path]int64     // named by an earlier prompt only → the last one's ordinal
	Commands    map[event.Path]int64     // named by a command or pattern → event clock of the last time
	Mentions    map[event.Path]float64   // decayed Σ 1/√m of the mentions, at the session's clock
	SeenEver    map[event.Path]bool      // named by anything the agent has read since the last compaction
	Terms       []string                 // words of the current prompt and since, the last used last
	TermClock   map[string]int64         // event clock of each word's last use
	Edits       map[event.Path]time.Time // edited under the current prompt, and when last
	Results     []Result                 // the last KeepResults results that named files, the newest first
	Wordings    []Wording                // the last KeepWordings commands and patterns, the newest first
	Deadline    time.Time                // when it expires if nothing more happens
}

// sessionRecord is a session as it is stored.
type sessionRecord struct {
	Fields   map[string]string
	Parts    [Parts]map[string]float64
	Deadline float64 // Unix seconds
}

func (r *sessionRecord) clone() *sessionRecord {
	c := &sessionRecord{Fields: maps.Clone(r.Fields), Deadline: r.Deadline}
	for p := range Parts {
		c.Parts[p] = maps.Clone(r.Parts[p])
	}
	return c
}

// fill answers from what is stored, as of a time in Unix seconds.
func (s *SessionView) fill(rec *sessionRecord, at float64) {
	if rec == nil || len(rec.Fields) == 0 || rec.Deadline != 0 && rec.Deadline <= at {
		rec = &sessionRecord{Fields: map[string]string{}}
	} else {
		s.Exists, s.Deadline = true, moment(rec.Deadline)
	}
	s.Fields = maps.Clone(rec.Fields)
	s.Clock, s.Prompt = s.number(FieldClock), s.number(FieldPrompts)
	s.Opened, s.Edits = times(rec.Parts[PartFiles]), times(rec.Parts[PartEdits])
	s.Last, s.Order, s.Commands = ordinals(rec.Parts[PartLast]), ordinals(rec.Parts[PartOrder]), ordinals(rec.Parts[PartRun])
	s.Files = event.Paths(ascending(rec.Parts[PartLast]))
	s.Named, s.NamedBefore = map[event.Path]int64{}, map[event.Path]int64{}
	for name, score := range rec.Parts[PartNamed] {
		if n := int64(score); n >= s.Prompt {
			s.Named[event.Path(name)] = n
		} else {
			s.NamedBefore[event.Path(name)] = n
		}
	}
	s.Mentions = make(map[event.Path]float64, len(rec.Parts[PartSeen]))
	s.SeenEver = make(map[event.Path]bool, len(rec.Parts[PartSeen]))
	for name, score := range rec.Parts[PartSeen] {
		s.Mentions[event.Path(name)] = math.Exp2(score - float64(s.Clock)/MentionHalf)
		s.SeenEver[event.Path(name)] = true
	}
	s.Terms = ascending(rec.Parts[PartTerms])
	s.TermClock = make(map[string]int64, len(s.Terms))
	for term, clock := range rec.Parts[PartTerms] {
		s.TermClock[term] = int64(clock)
	}
	s.rings()
}

func (s *SessionView) number(field string) int64 {
	n, err := strconv.ParseInt(s.Fields[field], 10, 64)
	if err != nil {
		return 0 // absent, or written by another program on a shared server
	}
	return n
}

func times(part map[string]float64) map[event.Path]time.Time {
	m := make(map[event.Path]time.Time, len(part))
	for name, score := range part {
		m[event.Path(name)] = moment(score)
	}
	return m
}

func ordinals(part map[string]float64) map[event.Path]int64 {
	m := make(map[event.Path]int64, len(part))
	for name, score := range part {
		m[event.Path(name)] = int64(score)
	}
	return m
}

// ascending lists the names by score, ties by name.
func ascending(part map[string]float64) []string {
	names := make([]string, 0, len(part))
	for name := range part {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(part[a], part[b]), cmp.Compare(a, b))
	})
	return names
}

// PromptClock is the event clock of the current prompt.
func (s *SessionView) PromptClock() int64 { return s.number(FieldPromptClock) }
