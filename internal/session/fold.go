package session

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Watch is the id of the session for saves outside of any tool.
const Watch = "watch"

const (
	watchIdle = 30 * time.Minute // after this long without a save, the session of saves begins again
	editPause = 5 * time.Minute  // longest pause between two edits of one change
	saveAfter = 10 * time.Second // a save up to this long after a tool's edit belongs to that edit …
	// … and one up to this long before it, because the hook comes after the file was written
	saveBefore = 2 * time.Second
	toolEdits  = time.Minute // how long the edits of tools are remembered

	maxMentions    = 1024 // files whose mentions a session keeps …
	keepMentions   = 768  // … and how many are kept when there are more
	maxResults     = 12   // results kept
	maxPatterns    = 8    // commands and patterns kept
	maxUncommitted = 64   // files of a change that has not been committed
	maxRecent      = 32   // recent events
	topicWords     = 6    // least number of words of an earlier prompt that a short prompt may continue
)

// idOf returns the session to which an event belongs, "" if none.
func idOf(e event.Event) string {
	switch e.Kind() {
	case event.KindCommit, event.KindUncommit, event.KindRename, event.KindDelete, event.KindCheckout, event.KindTick,
		event.KindHint, event.KindFeedback, event.KindSetting, event.KindStop, event.KindState:
		return ""
	case event.KindSave:
		return Watch
	}
	return e.Session
}

// Apply updates the state by an event. It returns the session of the event as it is now, nil if
// none exists, and what the event changed. Both are valid until the next Apply.
func (l *Sessions) Apply(e event.Event) (*Session, Delta) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, d := l.apply(e)
	l.summarize(e)
	return s, d
}

// apply updates everything in a session except its summary.
func (l *Sessions) apply(e event.Event) (*Session, Delta) {
	switch b := e.Body.(type) {
	case event.Rename:
		if !b.Past {
			l.rename(b)
		}
	case event.Checkout:
		if s := l.sessions[Watch]; s != nil && s.Current != "" {
			s.Current = ""
			l.touch(Watch)
		}
	case event.Tick:
		d := Delta{Resolved: l.idle(e.Time)}
		if b.Job == "" {
			l.expire(e.Time, &d)
		}
		l.sweep(e.Time)
		return nil, d
	case event.Commit:
		return nil, Delta{Resolved: l.committed(e)}
	case event.Hint, event.Feedback:
		return l.hint(e)
	case event.Stop:
		if s := l.sessions[e.Session]; s != nil {
			s.Said = Text{b.Terms, b.Idents}
			l.touch(e.Session)
		}
	case event.Save:
		if b.Paths = l.untouched(e); len(b.Paths) > 0 {
			e.Body = b
			return l.inSession(Watch, e)
		}
	default:
		if id := idOf(e); id != "" {
			return l.inSession(id, e)
		}
		return nil, alone(e)
	}
	return nil, Delta{}
}

// alone returns the delta of an event without a session.
func alone(e event.Event) (d Delta) {
	if e.Opens() {
		for _, p := range e.Paths() {
			d.Opened = append(d.Opened, Opened{Path: p})
		}
	}
	return d
}

// hint applies a Hint, or a person's feedback on one, to its session. Neither extends the life of
// the session.
func (l *Sessions) hint(e event.Event) (*Session, Delta) {
	s, d := l.sessions[e.Session], Delta{}
	switch {
	case e.Session == "":
		return nil, d
	case s == nil:
		s = l.start(e.Session, &d)
		s.Last = e.Time
	}
	l.touch(e.Session)
	switch b := e.Body.(type) {
	case event.Hint:
		s.Hints.suggest(e)
	case event.Feedback:
		s.Hints.feedback(b)
	}
	s.Hints.at(e.Time)
	d.Resolved = append(d.Resolved, s.Hints.resolve(e.Session, false)...)
	l.follow(e.Session)
	return s, d
}

// inSession applies an event that belongs to a session.
func (l *Sessions) inSession(id string, e event.Event) (*Session, Delta) {
	f := l.begin(id, e.Time)
	if f.Summary.Agent == "" {
		f.Summary.Agent = e.Agent
	}
	switch b := e.Body.(type) {
	case event.Start:
		f.Source, f.Ended = b.Source, false
		if b.Source == "clear" {
			f.Said = Text{}
		}
		if emptied(e) {
			f.Seen, f.Results = map[event.Path]float64{}, nil
		}
	case event.End:
		f.Ended = true
		if b.Left() {
			f.Left = e.Time
		}
		f.endChange(&f.delta)
	default:
		f.step(e)
	}
	if e.Edits() && e.Origin == "" { // a tool of another clone does not edit files that are saved here
		l.noteEdit(e)
	}
	f.recall(e)
	if e.Kind() != event.KindSave {
		f.Hints.event(e, f.delta.First())
		f.delta.Resolved = append(f.delta.Resolved, f.Hints.resolve(id, false)...)
		l.follow(id)
	}
	return f.Session, f.delta
}

// step applies a prompt, a call or a save.
func (f *update) step(e event.Event) {
	k := e.Kind()
	f.Clock++
	if k == event.KindPrompt {
		f.prompt(e)
	}
	f.texts(e, k)
	if k.Open() {
		f.delta.Hinted = f.Hints.leads(e)
	}
	if k.Open() || k == event.KindSave {
		f.opens(e)
	}
	if k.Edit() || k == event.KindSave {
		f.edits(e)
	}
}

// update is a session while an event is applied to it.
type update struct {
	*Session
	delta Delta
}

// begin prepares a session for an event. A session that was over begins again.
func (l *Sessions) begin(id string, at time.Time) (f update) {
	f.Session = l.sessions[id]
	switch {
	case f.Session == nil:
		f.Session = l.start(id, &f.delta)
	case f.over(at) || id == Watch && at.Sub(f.Last) > watchIdle:
		l.end(id, &f.delta)
		f.Session = l.start(id, &f.delta)
	}
	l.touch(id)
	if at.After(f.Last) {
		f.Last = at
	}
	return f
}

// prompt begins a turn.
func (f *update) prompt(e event.Event) {
	f.endChange(&f.delta)
	f.Prompts++
	f.PromptClock = f.Clock
	f.Terms = map[string]int64{}
	for _, p := range e.Named() {
		f.Named[p] = f.Prompts
	}
	if len(f.Prompt.Words) >= topicWords {
		f.Topic = f.Prompt
	}
	f.Prompt = Text{e.Terms(), e.Idents()}
	if !e.Body.(event.Prompt).Brief {
		f.Said = Text{}
	}
}

// texts adds the files and words that an event and its result name.
func (f *update) texts(e event.Event, k event.Kind) {
	named, seen, terms := e.Named(), e.Seen(), e.Terms()
	if k != event.KindPrompt {
		for _, p := range named {
			f.Commands[p] = f.Clock
		}
	}
	f.mention(named)
	f.mention(seen)
	if len(seen) > 0 {
		f.Results = newest(Result{f.Clock, f.Prompts, e.Call().Listing, seen}, f.Results, maxResults)
	}
	if k.Open() {
		return
	}
	if len(terms) > 0 && k != event.KindPrompt {
		f.Patterns = newest(Pattern{f.Prompts, Text{terms, e.Idents()}}, f.Patterns, maxPatterns)
	}
	for _, w := range terms {
		if _, known := f.Terms[w]; !known {
			f.delta.Terms = append(f.delta.Terms, w)
		}
		f.Terms[w] = f.Clock
	}
}

// newest returns a new list with a value in front, cut to most elements. The old list is not
// changed, because readers may hold it.
func newest[V any](v V, list []V, most int) []V {
	return append([]V{v}, list[:min(len(list), most-1)]...)
}

// mention adds 1/√m for each of m files.
func (f *update) mention(files []event.Path) {
	w := 1 / math.Sqrt(float64(len(files)))
	for _, p := range files {
		f.Seen[p] = math.Log2(w+f.Session.mention(p)) + float64(f.Clock)/MentionHalf
	}
	if len(f.Seen) <= maxMentions {
		return
	}
	least := slices.SortedFunc(maps.Keys(f.Seen), func(a, b event.Path) int {
		return cmp.Or(cmp.Compare(f.Seen[b], f.Seen[a]), cmp.Compare(a, b))
	})
	for _, p := range least[keepMentions:] {
		delete(f.Seen, p)
	}
}

// opens adds the files that an event opened.
func (f *update) opens(e event.Event) {
	if len(e.Tags()) > 0 {
		f.Intent = e.Tags()[0]
	}
	f.delta.Opened = make([]Opened, 0, len(e.Paths()))
	for _, p := range e.Paths() {
		if e.Subagent == "" {
			f.Current = p
		}
		before, known := f.Opened[p]
		o := Opened{Path: p, First: !known, Fresh: !known || before.Clock < f.PromptClock}
		now := Open{Clock: f.Clock, At: before.At, Blob: e.Call().Blob}
		if e.Time.After(now.At) {
			now.At = e.Time
		}
		f.Opened[p] = now
		if o.First {
			o.Prior = f.First
			f.First = append(f.First, p)
		}
		f.delta.Opened = append(f.delta.Opened, o)
	}
}

// recall keeps an event that a hint may be about. The next call at which the agent takes text asks
// for that hint.
func (f *update) recall(e event.Event) {
	switch k := e.Kind(); {
	case k == event.KindStart, k == event.KindPrompt, k == event.KindFailed, k == event.KindRun, FailedSearch(e):
		f.recent = append(f.recent, e)
		f.recent = f.recent[max(0, len(f.recent)-maxRecent):]
	}
	for len(f.recent) > 0 && e.Time.Sub(f.recent[0].Time) > RecentFor {
		f.recent = f.recent[1:]
	}
}
