package hot

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// SessionView is a session as it is at the view's time. Maps are never nil after Load. A session whose deadline has
// passed does not exist, whether it was reaped or not.
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
	Told        map[event.Path]time.Time // what the agent was told of, and when
	Edits       map[event.Path]time.Time // edited under the current prompt, and when last
	Results     []Result                 // the last KeepResults results that named files, the newest first
	Said        []Said                   // the last KeepSaid commands and patterns, the newest first
	Deadline    time.Time                // when it expires if nothing more happens
}

// Session asks for everything about a session.
func (v *View) Session(id string) *SessionView {
	s := &SessionView{}
	hash := v.ask(&get{op: opHash, key: v.store.keys.session(id)})
	dead := v.ask(&get{op: opScores, key: v.store.keys.expiry(), members: []string{id}})
	var sets [parts]*get
	for p := range parts {
		sets[p] = v.ask(&get{op: opAll, key: v.store.keys.part(id, p)})
	}
	at := v.at
	v.finish = append(v.finish, func() {
		if deadline := dead.scores[0]; len(hash.hash) > 0 && (deadline == 0 || deadline > at) {
			s.Exists, s.Fields, s.Deadline = true, hash.hash, moment(deadline)
		} else {
			hash, sets = &get{}, [parts]*get{}
			for p := range sets {
				sets[p] = &get{}
			}
			s.Fields = map[string]string{}
		}
		s.fill(sets)
	})
	return s
}

func (s *SessionView) fill(sets [parts]*get) {
	s.Clock, s.Prompt = s.number(FieldClock), s.number(FieldPrompts)
	s.Opened, s.Told = times(sets[partFiles].set), times(sets[partTold].set)
	s.Edits = times(sets[partEdits].set)
	s.Last, s.Order, s.Commands = ordinals(sets[partLast].set), ordinals(sets[partOrder].set), ordinals(sets[partRun].set)
	s.Files = make([]event.Path, 0, len(s.Last))
	for _, m := range ascending(sets[partLast].set) {
		s.Files = append(s.Files, event.Path(m.name))
	}
	s.Named, s.NamedBefore = map[event.Path]int64{}, map[event.Path]int64{}
	for _, m := range sets[partNamed].set {
		if n := int64(m.score); n >= s.Prompt {
			s.Named[event.Path(m.name)] = n
		} else {
			s.NamedBefore[event.Path(m.name)] = n
		}
	}
	s.Mentions = make(map[event.Path]float64, len(sets[partSeen].set))
	s.SeenEver = make(map[event.Path]bool, len(sets[partSeen].set))
	for _, m := range sets[partSeen].set {
		s.Mentions[event.Path(m.name)] = math.Exp2(m.score - float64(s.Clock)/MentionHalf)
		s.SeenEver[event.Path(m.name)] = true
	}
	s.TermClock = make(map[string]int64, len(sets[partTerms].set))
	s.Terms = make([]string, 0, len(sets[partTerms].set))
	for _, m := range ascending(sets[partTerms].set) {
		s.TermClock[m.name] = int64(m.score)
		s.Terms = append(s.Terms, m.name)
	}
	s.rings()
}

func (s *SessionView) number(field string) int64 {
	n, err := strconv.ParseInt(s.Fields[field], 10, 64)
	if err != nil {
		return 0 // absent, or written by a stranger on a shared server
	}
	return n
}

func times(set []member) map[event.Path]time.Time {
	m := make(map[event.Path]time.Time, len(set))
	for _, e := range set {
		m[event.Path(e.name)] = moment(e.score)
	}
	return m
}

func ordinals(set []member) map[event.Path]int64 {
	m := make(map[event.Path]int64, len(set))
	for _, e := range set {
		m[event.Path(e.name)] = int64(e.score)
	}
	return m
}

// ascending sorts by score, ties by name.
func ascending(set []member) []member {
	slices.SortFunc(set, func(a, b member) int {
		if a.score != b.score {
			return cmp.Compare(a.score, b.score)
		}
		return strings.Compare(a.name, b.name)
	})
	return set
}

// PromptClock is the event clock of the current prompt.
func (s *SessionView) PromptClock() int64 { return s.number(FieldPromptClock) }
