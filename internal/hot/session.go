package hot

import (
	"math"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// SessionLife is how long a session outlives its last event.
const SessionLife = 24 * time.Hour

// Fields of a session that other packages read. Values are strings, numbers in decimal.
const (
	FieldClock        = "clock"          // event clock: events of the session so far
	FieldPrompts      = "prompts"        // ordinal of the current prompt, from 1
	FieldCurrent      = "current_file"   // the file opened last, not by a subagent
	FieldIntent       = "current_intent" // the first tag of the last event that had one
	FieldLast         = "last_access"    // Unix seconds of the last event
	FieldAgent        = "agent"          // whose session it is
	FieldPromptClock  = "prompt_clock"   // event clock of the current prompt
	FieldPromptTerms  = "prompt_terms"   // words of the current prompt, by spaces
	FieldPromptIdents = "prompt_idents"  // identifiers in it, in plain form, by spaces
	FieldTopicTerms   = "topic_terms"    // words of the newest earlier prompt that has many, by spaces
	FieldTopicIdents  = "topic_idents"   // identifiers in it, in plain form, by spaces
)

// Part is one of a session's sets.
type Part uint8

// The parts. The order is part of the snapshot format.
const (
	PartFiles Part = iota // file → Unix seconds of its last open
	PartLast              // file → event clock of its last open
	PartOrder             // file → ordinal of its first open
	PartNamed             // file → ordinal of the last prompt that named it
	PartRun               // file → event clock of the last command or pattern that named it
	PartSeen              // file → log2 of its mentions, carried back to event clock 0
	PartTerms             // term → event clock of its last use
	_                     // was: hints, which package prefetch keeps
	PartEdits             // file → Unix seconds of its last edit under the current prompt
	Parts
)

// sessionChange is what a batch changes of one session, in the order of the fields.
type sessionChange struct {
	ID     string
	Renew  bool                      // all fields before this batch are removed
	Clear  [Parts]bool               // the part is emptied
	Remove [Parts]map[string]bool    // members removed
	Set    [Parts]map[string]float64 // the greater score stays; of PartOrder the first, of PartSeen the last
	Fields map[string]string         // "" removes

	Touched bool
	Last    float64 // Unix seconds of the last event, if touched
}

// SessionWrite collects the changes of one session. A session has one writer: the daemon of the machine it runs on.
type SessionWrite struct{ change sessionChange }

// Session is the write side of one session. Sessions live until 24 h after their last event; all that they hold goes
// with them.
func (b *Batch) Session(id string) *SessionWrite {
	s := b.sessions[id]
	if s == nil {
		s = &SessionWrite{sessionChange{ID: id}}
		b.sessions[id] = s
	}
	return s
}

// Touch extends the session's life to 24 h after t.
func (s *SessionWrite) Touch(t time.Time) *SessionWrite {
	if at := Seconds(t); !s.change.Touched || at > s.change.Last {
		s.change.Last, s.change.Touched = at, true
	}
	return s
}

// Set sets a field; an empty value removes it.
func (s *SessionWrite) Set(field, value string) *SessionWrite {
	if s.change.Fields == nil {
		s.change.Fields = map[string]string{}
	}
	s.change.Fields[field] = value
	return s
}

// File records an open at event clock order.
func (s *SessionWrite) File(p event.Path, order int64, at time.Time) *SessionWrite {
	s.max(PartFiles, string(p), Seconds(at))
	s.max(PartLast, string(p), float64(order))
	return s.Touch(at)
}

// First records the ordinal of the first open of a file, from 1.
func (s *SessionWrite) First(p event.Path, order int64) *SessionWrite {
	s.put(PartOrder, string(p), float64(order))
	return s
}

// Named records that the prompt with this ordinal named the file.
func (s *SessionWrite) Named(p event.Path, order int64) *SessionWrite {
	s.max(PartNamed, string(p), float64(order))
	return s
}

// Run records that a command or a search pattern named the file at this event clock.
func (s *SessionWrite) Run(p event.Path, clock int64) *SessionWrite {
	s.max(PartRun, string(p), float64(clock))
	return s
}

// MentionHalf is the half-life of a mention, in events of its session.
const MentionHalf = 8

// Seen records that at this event clock the mentions of the file amount to w, w > 0: the whole sum, not an increment,
// for sums must not depend on who kept them.
func (s *SessionWrite) Seen(p event.Path, clock int64, w float64) *SessionWrite {
	if w > 0 && !math.IsInf(w, 0) {
		s.put(PartSeen, string(p), math.Log2(w)+float64(clock)/MentionHalf)
	}
	return s
}

// Unsee forgets the mentions of a file.
func (s *SessionWrite) Unsee(p event.Path) *SessionWrite {
	delete(s.change.Set[PartSeen], string(p))
	if s.change.Remove[PartSeen] == nil {
		s.change.Remove[PartSeen] = map[string]bool{}
	}
	s.change.Remove[PartSeen][string(p)] = true
	return s
}

// Term records the use of a word at this event clock.
func (s *SessionWrite) Term(t string, order int64) *SessionWrite {
	s.max(PartTerms, t, float64(order))
	return s
}

// Edited records an edit of the file under the current prompt.
func (s *SessionWrite) Edited(p event.Path, at time.Time) *SessionWrite {
	s.max(PartEdits, string(p), Seconds(at))
	return s.Touch(at)
}

// Clear empties one part.
func (s *SessionWrite) Clear(p Part) *SessionWrite {
	c := &s.change
	c.Clear[p], c.Set[p], c.Remove[p] = true, nil, nil
	if p == PartSeen {
		s.clearResults()
	}
	return s
}

// Renew forgets everything that the session had.
func (s *SessionWrite) Renew() *SessionWrite {
	for p := range Parts {
		s.Clear(p)
	}
	s.change.Renew, s.change.Fields = true, nil
	return s
}

func (s *SessionWrite) put(p Part, member string, score float64) {
	if member == "" || len(member) > maxName || math.IsNaN(score) || math.IsInf(score, 0) {
		return
	}
	if s.change.Set[p] == nil {
		s.change.Set[p] = map[string]float64{}
	}
	s.change.Set[p][member] = score
	delete(s.change.Remove[p], member)
}

func (s *SessionWrite) max(p Part, member string, score float64) {
	if old, ok := s.change.Set[p][member]; !ok || score > old {
		s.put(p, member, score)
	}
}

// rename moves what this batch has of a file.
func (s *SessionWrite) rename(from, to string) {
	for p := range Parts {
		if v, ok := s.change.Set[p][from]; ok && p != PartTerms {
			delete(s.change.Set[p], from)
			s.max(p, to, v)
		}
	}
	if s.change.Fields[FieldCurrent] == from {
		s.change.Fields[FieldCurrent] = to
	}
}
