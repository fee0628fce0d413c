package learn

import (
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/redact"
)

// The constants of doc.go.
const (
	caused      = 0.25               // weight of an access that a suggestion caused
	causedAge   = 2 * 24 * time.Hour // and how much older it counts: two half-lives of a day make a quarter
	maxTags     = 5
	coaccessMax = 20
	coaccessGap = 0.15

	editShare  = 0.5
	editPause  = 5 * time.Minute
	editMax    = 20
	saveAfter  = 10 * time.Second // a save up to this long after a tool's edit is that edit
	saveBefore = 2 * time.Second  // and up to this long before: the hook comes after the file was written

	commitMax = 100

	topicTerms = 6 // words that make a prompt one that later prompts go on from
)

// fold turns events into the increments of one batch.
type fold struct {
	batch   *hot.Batch
	sign    float64 // -1 subtracts
	write   bool    // sessions' states and stamps are written
	session func(id string) *session
	expire  func(at time.Time)
	renamed func(from, to event.Path)
	touched []*session
}

// sessionOf returns the session that an event belongs to, "" for none.
func sessionOf(e event.Event) string {
	switch e.Kind {
	case event.KindCommit, event.KindUncommit, event.KindRename, event.KindDelete, event.KindBranch, event.KindTick,
		event.KindSuggest, event.KindOutcome, event.KindFeedback, event.KindSetting:
		return ""
	case event.KindSave:
		return watchID
	}
	return e.Session
}

func (f *fold) event(e event.Event) {
	switch e.Kind {
	case event.KindCommit:
		f.commit(e, f.sign)
	case event.KindUncommit:
		f.commit(e, -f.sign)
	case event.KindRename:
		f.rename(e)
	case event.KindBranch:
		f.branch(e)
	case event.KindTick:
		switch e.Tool {
		case "decay":
			f.batch.Decay(e.Time)
		case "sweep":
			f.batch.Sweep(e.Time)
		default:
			f.expire(e.Time)
			f.batch.Trim(e.Time)
		}
	case event.KindSuggest, event.KindOutcome, event.KindFeedback, event.KindSetting: // for Options.Fold
	case event.KindPrompt, event.KindRead, event.KindEdit, event.KindWrite, event.KindSearch, event.KindRun, event.KindFailed,
		event.KindSave, event.KindStart, event.KindEnd:
		f.inSession(e)
	}
}

// inSession folds an event of a session. Without a session it is an open that counts for the file only.
func (f *fold) inSession(e event.Event) {
	edit := e.Kind.Edit()
	if e.Kind == event.KindSave {
		if e.Paths = f.untouched(e); len(e.Paths) == 0 {
			return
		}
	}
	id := sessionOf(e)
	if id == "" || id == toolsID {
		f.opens(nil, e)
		return
	}
	s := f.session(id)
	s.begin(f, e.Time)
	if e.Agent != "" {
		s.set(hot.FieldAgent, e.Agent)
	}
	switch e.Kind {
	case event.KindStart:
		f.start(s, e)
		return
	case event.KindEnd:
		f.change(s)
		return
	}
	s.tick()
	if e.Kind == event.KindPrompt {
		f.prompt(s, e)
	}
	f.texts(s, e)
	if e.Kind.Open() || e.Kind == event.KindSave {
		f.opens(s, e)
	}
	if edit || e.Kind == event.KindSave {
		f.edits(s, e)
	}
	if edit {
		f.tools(e)
	}
}

func (f *fold) start(s *session, e event.Event) {
	if e.Tool != "compact" && e.Tool != "clear" {
		return
	}
	s.seen = map[event.Path]float64{}
	if s.write != nil {
		s.write.Clear(hot.PartSeen)
	}
}

func (f *fold) prompt(s *session, e event.Event) {
	f.change(s)
	s.prompts++
	s.prompt = s.clock
	s.terms = map[string]int64{}
	if s.write != nil {
		s.write.Clear(hot.PartTerms)
		for _, p := range e.Named {
			s.write.Named(p, s.prompts)
		}
	}
	s.set(hot.FieldPrompts, strconv.FormatInt(s.prompts, 10))
	s.set(hot.FieldPromptClock, strconv.FormatInt(s.prompt, 10))
	if s.promptTerms >= topicTerms {
		s.set(hot.FieldTopicTerms, s.promptText[0])
		s.set(hot.FieldTopicIdents, s.promptText[1])
	}
	s.promptTerms = len(e.Terms)
	s.promptText = [2]string{strings.Join(e.Terms, " "), strings.Join(redact.Identifiers(e.Text, maxPromptIdents), " ")}
	s.set(hot.FieldPromptTerms, s.promptText[0])
	s.set(hot.FieldPromptIdents, s.promptText[1])
}

// texts records the files and words that an event and its result name.
func (f *fold) texts(s *session, e event.Event) {
	if e.Kind != event.KindPrompt && s.write != nil {
		for _, p := range e.Named {
			s.write.Run(p, s.clock)
		}
	}
	if len(e.Named) > 0 {
		s.mention(e.Named)
	}
	if len(e.Seen) > 0 {
		s.mention(e.Seen)
		s.result(e)
	}
	if (e.Kind == event.KindSearch || e.Kind == event.KindRun || e.Kind == event.KindFailed) && len(e.Terms) > 0 {
		s.query(e)
	}
	if !e.Kind.Open() {
		for _, w := range s.addTerms(e.Terms) {
			f.batch.Add(hot.TermFreq, "", w, e.Time, f.sign*s.termWeight())
		}
	}
}

// opens folds accesses. s is nil if they belong to no session.
func (f *fold) opens(s *session, e event.Event) {
	c := f.sign
	if e.Cause != "" {
		c *= caused
	}
	tags := e.Tags[:min(maxTags, len(e.Tags))]
	for _, t := range tags {
		if len(e.Paths) > 0 {
			f.batch.Add(hot.TagFreq, "", t, e.Time, c)
		}
	}
	if s != nil && len(tags) > 0 {
		s.set(hot.FieldIntent, tags[0])
	}
	for _, p := range e.Paths {
		if e.Cause == "" {
			f.stamp(hot.Recency, p, e.Time)
		} else {
			f.stamp(hot.Recency, p, e.Time.Add(-causedAge))
		}
		f.batch.Add(hot.Frequency, "", string(p), e.Time, c)
		for _, t := range tags {
			f.batch.Add(hot.TagFiles, t, string(p), e.Time, c)
			f.batch.Add(hot.FileTags, string(p), t, e.Time, c)
		}
		if s != nil {
			f.opened(s, e, p, c)
		}
	}
}

// opened relates an open to the other opens of its session.
func (f *fold) opened(s *session, e event.Event, p event.Path, c float64) {
	if e.Subagent == "" && s.current != p {
		s.current = p
		s.set(hot.FieldCurrent, string(p))
	}
	before := s.first[max(0, len(s.first)-coaccessMax):]
	first, fresh := s.open(p, e.Time)
	if first {
		f.batch.Add(hot.Sessions, "", string(p), e.Time, c)
		for i, q := range before {
			d := float64(len(before) - i)
			w := c / (1 + coaccessGap*(d-1))
			f.batch.Add(hot.Coaccess, string(p), string(q), e.Time, w)
			f.batch.Add(hot.Coaccess, string(q), string(p), e.Time, w)
		}
	}
	if !fresh {
		return
	}
	for _, w := range s.words() {
		f.batch.Add(hot.TermFiles, w, string(p), e.Time, c*s.termWeight())
	}
}

func (f *fold) stamp(family *hot.Family, p event.Path, at time.Time) {
	if f.sign > 0 {
		f.batch.Stamp(family, string(p), at)
	}
}

func (f *fold) rename(e event.Event) {
	for i, to := range e.Paths {
		if i >= len(e.From) {
			return
		}
		f.batch.Rename(e.From[i], to)
		f.renamed(e.From[i], to)
	}
}

func (f *fold) branch(e event.Event) {
	s := f.session(watchID)
	if s.current == "" {
		return
	}
	at := s.at
	s.begin(f, at) // a change of branch is no event of the session: its time stays
	s.current = ""
	s.set(hot.FieldCurrent, "")
}

// save writes the states of the sessions that had events.
func (f *fold) save() {
	for _, s := range f.touched {
		s.save()
	}
}
