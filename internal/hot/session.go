package hot

import (
	"math"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// SessionLife is how long a session outlives its last event.
const SessionLife = 24 * time.Hour

// Fields of a session that other rooms read. Values are strings, numbers in decimal.
const (
	FieldClock        = "clock"          // event clock: events of the session so far
	FieldTurn         = "turn"           // id of the current prompt
	FieldPrompts      = "prompts"        // ordinal of the current prompt, from 1
	FieldCurrent      = "current_file"   // the file opened last; a subagent's is under current_file:<id>
	FieldIntent       = "current_intent" // the first tag of the last event that had one
	FieldLast         = "last_access"    // Unix seconds of the last event
	FieldAgent        = "agent"          // whose session it is
	FieldPromptClock  = "prompt_clock"   // event clock of the current prompt
	FieldPromptTerms  = "prompt_terms"   // words of the current prompt, by spaces
	FieldPromptIdents = "prompt_idents"  // identifiers in it, in plain form, by spaces
	FieldShown        = "last_shown"     // Unix seconds of the last hint; a prompt removes it
)

// part is one of a session's sets.
type part uint8

const (
	partFiles part = iota // file → Unix seconds of its last open
	partLast              // file → event clock of its last open
	partOrder             // file → ordinal of its first open
	partNamed             // file → ordinal of the last prompt that named it
	partRun               // file → event clock of the last command or pattern that named it
	partSeen              // file → log2 of its mentions, carried back to event clock 0
	partTerms             // term → event clock of its last use
	partTold              // file → Unix seconds when the agent was told of it
	partEdits             // file → Unix seconds of its last edit under the current prompt
	parts
)

var partNames = [parts]string{"files", "last", "order", "named", "commands", "seen", "terms", "told", "edits"}

// Names of parts for SessionWrite.Clear; ClearAll is the whole session.
const (
	ClearAll   = "all"
	ClearNamed = "named"
	ClearSeen  = "seen"
	ClearTerms = "terms"
	ClearTold  = "told"
	ClearEdits = "edits"
)

// SessionWrite collects the changes of one session. A session has one writer: the daemon of the machine it runs on.
type SessionWrite struct {
	id      string
	fields  map[string]string // "" removes
	sets    [parts]map[string]float64
	gone    [parts]map[string]bool // members to remove
	clear   [parts]bool            // emptied before the sets are written
	renew   bool                   // everything before this batch is forgotten
	last    float64                // Unix seconds of the last event, if touched
	touched bool
}

// Session is the write side of one session. Sessions live until 24 h after their last event; what was told, seen
// and named goes with them.
func (b *Batch) Session(id string) *SessionWrite {
	b.init()
	s := b.sessions[id]
	if s == nil {
		s = &SessionWrite{id: id}
		b.sessions[id] = s
	}
	return s
}

// Touch extends the session's life to 24 h after t.
func (s *SessionWrite) Touch(t time.Time) *SessionWrite {
	if at := seconds(t); !s.touched || at > s.last {
		s.last, s.touched = at, true
	}
	return s
}

// Set sets a field; an empty value removes it.
func (s *SessionWrite) Set(field, value string) *SessionWrite {
	if s.fields == nil {
		s.fields = map[string]string{}
	}
	s.fields[field] = value
	return s
}

// File records an open at event clock order.
func (s *SessionWrite) File(p event.Path, order int64, at time.Time) *SessionWrite {
	s.max(partFiles, string(p), seconds(at))
	s.max(partLast, string(p), float64(order))
	return s.Touch(at)
}

// First records the ordinal of the first open of a file, from 1.
func (s *SessionWrite) First(p event.Path, order int64) *SessionWrite {
	s.put(partOrder, string(p), float64(order))
	return s
}

// Named records that the prompt with this ordinal named the file.
func (s *SessionWrite) Named(p event.Path, order int64) *SessionWrite {
	s.max(partNamed, string(p), float64(order))
	return s
}

// Run records that a command or a search pattern named the file at this event clock.
func (s *SessionWrite) Run(p event.Path, clock int64) *SessionWrite {
	s.max(partRun, string(p), float64(clock))
	return s
}

// MentionHalf is the half-life of a mention, in events of its session.
const MentionHalf = 8

// Seen records that at this event clock the mentions of the file amount to w, w > 0: the whole sum, not an increment,
// for sums must not depend on who kept them.
func (s *SessionWrite) Seen(p event.Path, clock int64, w float64) *SessionWrite {
	if w > 0 && !math.IsInf(w, 0) {
		s.put(partSeen, string(p), math.Log2(w)+float64(clock)/MentionHalf)
	}
	return s
}

// Unsee forgets the mentions of a file.
func (s *SessionWrite) Unsee(p event.Path) *SessionWrite {
	delete(s.sets[partSeen], string(p))
	if s.gone[partSeen] == nil {
		s.gone[partSeen] = map[string]bool{}
	}
	s.gone[partSeen][string(p)] = true
	return s
}

// Term records the use of a word at this event clock.
func (s *SessionWrite) Term(t string, order int64) *SessionWrite {
	s.max(partTerms, t, float64(order))
	return s
}

// Told records that the agent was told of the file.
func (s *SessionWrite) Told(p event.Path, at time.Time) *SessionWrite {
	s.max(partTold, string(p), seconds(at))
	return s.Touch(at)
}

// Edited records an edit of the file under the current prompt.
func (s *SessionWrite) Edited(p event.Path, at time.Time) *SessionWrite {
	s.max(partEdits, string(p), seconds(at))
	return s.Touch(at)
}

// Clear empties one part, or with ClearAll everything that the session had. Names of no part do nothing.
func (s *SessionWrite) Clear(name string) *SessionWrite {
	for p := range parts {
		if name == ClearAll || name == partNames[p] {
			s.clear[p], s.sets[p], s.gone[p] = true, nil, nil
		}
	}
	if name == ClearSeen {
		s.forgetResults()
	}
	if name == ClearAll {
		s.renew, s.fields = true, nil
	}
	return s
}

func (s *SessionWrite) put(p part, member string, score float64) {
	if member == "" || len(member) > maxName || math.IsNaN(score) || math.IsInf(score, 0) {
		return
	}
	if s.sets[p] == nil {
		s.sets[p] = map[string]float64{}
	}
	if _, ok := s.sets[p][member]; !ok {
		member = strings.Clone(member) // it may be a part of something large
	}
	s.sets[p][member] = score
	delete(s.gone[p], member)
}

func (s *SessionWrite) max(p part, member string, score float64) {
	if old, ok := s.sets[p][member]; !ok || score > old {
		s.put(p, member, score)
	}
}

// rename moves what this batch says of a file.
func (s *SessionWrite) rename(from, to string) {
	for p := range parts {
		if v, ok := s.sets[p][from]; ok && p != partTerms {
			delete(s.sets[p], from)
			s.max(p, to, v)
		}
	}
	for f, v := range s.fields {
		if v == from && strings.HasPrefix(f, FieldCurrent) {
			s.fields[f] = to
		}
	}
}
