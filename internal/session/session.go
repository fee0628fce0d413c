package session

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// OverAfter is the time after a session's last event at which the session is over.
const OverAfter = 24 * time.Hour

// RecentFor is how long the events that Recent returns are kept.
const RecentFor = 5 * time.Minute

// MentionHalf is the half-life of a mention, as a number of events of its session.
const MentionHalf = 8

// Session is what a session has done so far. The zero value is a session without events. Readers
// must not change it.
type Session struct {
	// What remains when the session is over. Sessions of other clones, and that of saves, have
	// none.
	Summary Summary
	Intent  string     // first tag of the last event with tags
	Current event.Path // the file that was opened last, not counting subagents
	Last    time.Time  // the time of the newest event
	Source  string     // how its newest start was reported: startup, resume, compact, …
	Ended   bool       // its end was reported, and no new start since then
	Left    time.Time  // when the person last left it for good (event.End.Left); zero if never

	Clock       int64 // event clock: number of prompts and calls so far
	Prompts     int64 // number of the current prompt, 0 before the first
	PromptClock int64 // event clock at the current prompt
	Prompt      Text  // the current prompt
	Topic       Text  // the newest earlier prompt of many words
	Said        Text  // the end of the agent's last message; empty if the current prompt is not brief

	First  []event.Path         // opened files, in the order of their first opens
	Opened map[event.Path]Open  // the last open of each file
	Named  map[event.Path]int64 // for each file, the number of the last prompt that named it
	// for each file, the event clock of the last command or pattern that named it
	Commands map[event.Path]int64
	Seen     map[event.Path]float64 // for each file, log2 of the weight of its mentions, as of event clock 0
	// for each word of the current prompt or of later events, the event clock of its last use
	Terms       map[string]int64
	Edits       map[event.Path]LastEdit // the current change
	Uncommitted []event.Path            // files that it has edited and that were not committed since, the newest last
	Results     []Result                // the last results that named files, the newest first
	Patterns    []Pattern               // the last commands and patterns, the newest first
	Hints       Hints

	recent []event.Event // the events that Recent returns, oldest first; not saved
}

// Text is the part of a text that is stored.
type Text struct {
	Words  []string // the terms of the text
	Idents []string // identifiers of two words or more, in plain form (see index.Identifiers)
}

// Open is the last open of a file.
type Open struct {
	Clock int64
	At    time.Time
	Blob  string // Call.Blob: the content that the call read or left in the file, "" if not known
}

// LastEdit is the last edit of a file in the current change.
type LastEdit struct {
	At     time.Time
	Hinted bool // a hint led to it
}

// Result is the result of a call as the agent saw it: the files that it named, in their order.
type Result struct {
	Clock   int64 // event clock
	Prompt  int64 // number of the prompt under which the result came
	Listing bool  // the result is a list of matches or files, and not a content
	Files   []event.Path
}

// Pattern is a command or a search pattern.
type Pattern struct {
	Prompt int64 // number of the prompt under which it was used
	Text
}

// Exists reports whether the session has had an event.
func (s *Session) Exists() bool { return !s.Last.IsZero() }

// Deadline returns when the session is over if nothing more happens.
func (s *Session) Deadline() time.Time { return s.Last.Add(OverAfter) }

// over reports whether the session is over at a time.
func (s *Session) over(at time.Time) bool { return s.Exists() && !at.Before(s.Deadline()) }

// ahead reports whether the last event of the session comes from a clock that was ahead.
func (s *Session) ahead(at time.Time) bool { return s.Last.Sub(at) > OverAfter }

// Files returns the opened files. The one opened last comes last; equal ones are ordered by path.
func (s *Session) Files() []event.Path {
	return slices.SortedFunc(maps.Keys(s.Opened), func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(s.Opened[a].Clock, s.Opened[b].Clock), cmp.Compare(a, b))
	})
}

// Edited returns the files of the current change. The one edited last comes last; equal ones are
// ordered by path.
func (s *Session) Edited() []event.Path {
	return slices.SortedFunc(maps.Keys(s.Edits), func(a, b event.Path) int {
		return cmp.Or(s.Edits[a].At.Compare(s.Edits[b].At), cmp.Compare(a, b))
	})
}

// Words returns the words used in the current prompt and since. The one used last comes last; equal
// ones are ordered alphabetically.
func (s *Session) Words() []string {
	return slices.SortedFunc(maps.Keys(s.Terms), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Terms[a], s.Terms[b]), cmp.Compare(a, b))
	})
}

// NamedNow splits the files that prompts named into those that the current one named, and those
// that only earlier ones did.
func (s *Session) NamedNow() (now, before map[event.Path]int64) {
	now, before = map[event.Path]int64{}, map[event.Path]int64{}
	for p, n := range s.Named {
		if n >= s.Prompts {
			now[p] = n
		} else {
			before[p] = n
		}
	}
	return now, before
}

// Mentions returns, for each file, the decayed sum of 1/√m over the texts that mentioned it among m
// files.
func (s *Session) Mentions() map[event.Path]float64 {
	out := make(map[event.Path]float64, len(s.Seen))
	for p := range s.Seen {
		out[p] = s.mention(p)
	}
	return out
}

// mention returns the sum for one file, 0 if nothing mentioned it.
func (s *Session) mention(p event.Path) float64 {
	log, ok := s.Seen[p]
	if !ok {
		return 0
	}
	return math.Exp2(log - float64(s.Clock)/MentionHalf)
}

// Recent returns the starts, prompts, failed calls, failed searches and commands in a conversation
// after a time, oldest first. It goes back RecentFor at most.
func (s *Session) Recent(subagent string, after time.Time) (out []event.Event) {
	for _, e := range s.recent {
		if e.Subagent == subagent && e.Time.After(after) {
			out = append(out, e)
		}
	}
	return out
}

// mostResults is the largest number of files in the result of a search that is still useful to the
// agent.
const mostResults = 30

// FailedSearch reports whether a search or a listing found no file, or more than its agent will
// look through. A search in a single file that it names does not count, because it tells nothing
// about other files.
func FailedSearch(e event.Event) bool {
	if e.Kind() != event.KindSearch || len(e.Call().Named) > 0 {
		return false
	}
	return len(e.Seen()) == 0 || len(e.Seen()) > mostResults
}

// clone returns a copy that does not change any more. Both share their lists, which never change:
// Apply appends to them or makes new ones.
func (s *Session) clone() *Session {
	c := *s
	c.First, c.recent, c.Summary = slices.Clip(s.First), slices.Clip(s.recent), s.Summary.clone()
	c.Opened, c.Seen = maps.Clone(s.Opened), maps.Clone(s.Seen)
	c.Named, c.Commands = maps.Clone(s.Named), maps.Clone(s.Commands)
	c.Terms, c.Edits, c.Hints = maps.Clone(s.Terms), maps.Clone(s.Edits), s.Hints.clone()
	return &c
}

// rename gives a file its new name. If both names are known, the newer record counts. It reports
// whether the session had the file.
func (s *Session) rename(from, to event.Path) (hit bool) {
	if from == to {
		return false
	}
	if s.Current == from {
		s.Current, hit = to, true
	}
	if i := slices.Index(s.First, from); i >= 0 {
		s.First = slices.Clone(s.First)
		switch j := slices.Index(s.First, to); {
		case j > i:
			s.First = slices.Delete(s.First, i, i+1)
		case j >= 0:
			s.First[i] = to
			s.First = slices.Delete(s.First, j, j+1)
		default:
			s.First[i] = to
		}
	}
	newer := func(a, b int64) bool { return a > b }
	hit = move(s.Opened, from, to, func(a, b Open) bool { return a.Clock > b.Clock }) || hit
	hit = move(s.Named, from, to, newer) || hit
	hit = move(s.Commands, from, to, newer) || hit
	hit = move(s.Seen, from, to, func(a, b float64) bool { return a > b }) || hit
	hit = renamed(&s.Uncommitted, from, to) || hit
	hit = s.Hints.rename(from, to) || hit
	for i := range s.Results {
		if slices.Contains(s.Results[i].Files, from) {
			s.Results, hit = slices.Clone(s.Results), true
			renamed(&s.Results[i].Files, from, to)
		}
	}
	return move(s.Edits, from, to, func(a, b LastEdit) bool { return a.At.After(b.At) }) || hit
}

// renamed gives a file in a list its new name. It makes a new list, because readers may hold the
// old one.
func renamed(list *[]event.Path, from, to event.Path) bool {
	i := slices.Index(*list, from)
	if i >= 0 {
		*list = slices.Clone(*list)
		(*list)[i] = to
	}
	return i >= 0
}

// move gives a key its new name. If both keys exist, newer decides which value stays.
func move[V any](m map[event.Path]V, from, to event.Path, newer func(a, b V) bool) bool {
	v, ok := m[from]
	if !ok {
		return false
	}
	delete(m, from)
	if old, ok := m[to]; !ok || newer(v, old) {
		m[to] = v
	}
	return true
}
