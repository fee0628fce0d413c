package event

import (
	"encoding/json"
	"strings"
	"time"
)

// Event is one entry of the event log: when and where something happened, and a Body that tells
// what. All state is computed from the events of all writers. So an event carries its own time and
// everything that learning needs, and never changes after it was logged.
type Event struct {
	// ID makes deliveries idempotent: an event that is delivered twice has the same ID both times.
	// It is made from tool_use_id, event and agent_id; or from prompt_id; or from the sha of a
	// commit; or from path, mtime and size of a save.
	ID       string
	Time     time.Time // when it happened, in UTC, with a precision of milliseconds
	Origin   string    // the log of the other clone that it comes from; "" for this clone
	Agent    string    // "claude", "git", "watch", "cli", …
	Session  string    // the agent's session id
	Subagent string    // id of the subagent inside the session
	Turn     string    // id of the prompt during whose turn it happened
	Body     Body      // nil only before the event is complete
}

// Limits of an event. What exceeds them is cut when the event is made, not when it is read. The
// comments in body.go name the numbers, because docs/api.md quotes these comments.
const (
	MaxSeen       = 60
	MaxFailing    = 3 // lines that name failures, in one call
	MaxTerms      = 32
	MaxSaid       = 64 // words of an agent's message
	MaxIdents     = 40 // in a prompt
	MaxCallIdents = 8
	MaxText       = 4096 // bytes
	MaxPaths      = 5000 // further files of an event are counted but not kept
)

// Kind returns the kind of the body, "" if none exists.
func (e Event) Kind() Kind {
	if e.Body == nil {
		return ""
	}
	return e.Body.Kind()
}

// Opens reports whether the event is a call that opened files.
func (e Event) Opens() bool { return e.Kind().Open() }

// Edits reports whether the event is a call that changed files.
func (e Event) Edits() bool { return e.Kind().Edit() }

// Call returns the body of a call, the zero Call for other events.
func (e Event) Call() Call {
	c, _ := e.Body.(Call)
	return c
}

// Paths returns the files that the event is about: those that were used, saved, committed, deleted
// or suggested; for a rename, the new names.
func (e Event) Paths() []Path { return partsOf(e.Body).paths }

// From returns the old names of a rename.
func (e Event) From() []Path { return partsOf(e.Body).from }

// Gone returns the files that a commit deleted.
func (e Event) Gone() []Path { return partsOf(e.Body).gone }

// Named returns the files that a prompt, a command, a pattern or a hint names itself.
func (e Event) Named() []Path { return partsOf(e.Body).named }

// Seen returns the files that a prompt's attachments or a call's result name.
func (e Event) Seen() []Path { return partsOf(e.Body).seen }

// Terms returns the words of a prompt, of a call's pattern or command, of a commit's subject, or of
// what the agent said when it stopped.
func (e Event) Terms() []string { return partsOf(e.Body).terms }

// Idents returns the identifiers in a prompt, in a call's pattern or command, or in what the agent
// said when it stopped.
func (e Event) Idents() []string { return partsOf(e.Body).idents }

// Tags returns the intent tags of a prompt or a call.
func (e Event) Tags() []string { return partsOf(e.Body).tags }

// Text returns the redacted text of a prompt, a call, a commit or a hint.
func (e Event) Text() string { return partsOf(e.Body).text }

// ChangePaths calls fn with every list of paths in the event, so that fn can replace it. fn must
// not change the elements of a list, because other copies of the event share them.
func (e *Event) ChangePaths(fn func(*[]Path)) {
	p := partsOf(e.Body)
	for _, list := range []*[]Path{&p.paths, &p.from, &p.gone, &p.change, &p.named, &p.seen} {
		fn(list)
	}
	e.Body = p.into(e.Body)
}

// WithoutText returns the event as consumers of the log get it: without texts that the log seals,
// so that no computed state depends on the key.
func (e Event) WithoutText() Event {
	switch b := e.Body.(type) {
	case Prompt:
		b.Text = ""
		e.Body = b
	case Call:
		b.Text, b.Failing, b.Command, b.Edits = "", nil, "", nil
		e.Body = b
	case Hint:
		b.Text = ""
		e.Body = b
	}
	return e
}

// Sealed returns the parts of the event that the log seals: its text, and for a call also the lines
// of its output that name failures.
func (e Event) Sealed() string {
	if lines := e.Call().Failing; len(lines) > 0 || strings.HasPrefix(e.Text(), "\x00") {
		raw, _ := json.Marshal(append([]string{e.Text()}, lines...)) // strings can always be encoded
		return "\x00" + string(raw)
	}
	return e.Text()
}

// Unseal is the inverse of Sealed.
func (e *Event) Unseal(sealed string) {
	var lines []string
	raw, several := strings.CutPrefix(sealed, "\x00")
	if several = several && json.Unmarshal([]byte(raw), &lines) == nil && len(lines) > 0; !several {
		lines = []string{sealed}
	}
	e.ChangeText(func(text *string, _ *[]string) { *text = lines[0] })
	if c, ok := e.Body.(Call); ok && len(lines) > 1 {
		c.Failing = lines[1:]
		e.Body = c
	}
}

// ChangeText calls fn with the text of the event and the words of that text, so that fn can replace
// them if the event has them.
func (e *Event) ChangeText(fn func(text *string, terms *[]string)) {
	p := partsOf(e.Body)
	fn(&p.text, &p.terms)
	e.Body = p.into(e.Body)
	if c, ok := e.Body.(Call); ok && c.Text == "" {
		c.Failing = nil // the output of a command goes together with the text
		e.Body = c
	}
}

// Normalize returns the event cut to its limits, with its times in UTC and in milliseconds. Every
// event is normalized once, before it is logged, so that learning from the log gives the same
// result as learning live. A time more than two minutes after now becomes now, because a wrong
// clock must not decide the ranking. git accepts commits outside of the years 1970 to 9999; such a
// time becomes the nearest one inside, because neither the log nor JSON can express it.
func (e Event) Normalize(now time.Time) Event {
	if e.Time.After(now.Add(2 * time.Minute)) {
		e.Time = now
	}
	e.Time = Possible(e.Time)
	e.ChangePaths(func(list *[]Path) { *list = cut(*list, MaxPaths) })
	p, terms, idents := partsOf(e.Body), MaxTerms, MaxIdents
	switch e.Body.(type) {
	case Stop:
		terms = MaxSaid
	case Call:
		idents = MaxCallIdents
	}
	p.named, p.seen, p.tags = cut(p.named, MaxSeen), cut(p.seen, MaxSeen), cut(p.tags, MaxTerms)
	p.terms, p.idents, p.text = cut(p.terms, terms), cut(p.idents, idents), Clip(p.text, MaxText)
	e.Body = p.into(e.Body)
	switch b := e.Body.(type) {
	case Call:
		b.Failing = cut(b.Failing, MaxFailing)
		e.Body = b
	case Commit:
		b.Author = possibleIfKnown(b.Author)
		e.Body = b
	case Uncommit:
		b.Author = possibleIfKnown(b.Author)
		e.Body = b
	}
	return e
}

// Possible returns a time in UTC and in milliseconds, or the nearest one in the years 1970 to 9999.
func Possible(t time.Time) time.Time {
	first, last := time.Unix(0, 0), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)
	switch {
	case t.Before(first):
		t = first
	case t.After(last):
		t = last
	}
	return t.UTC().Truncate(time.Millisecond)
}

// possibleIfKnown is like Possible, but leaves the zero time as it is.
func possibleIfKnown(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return Possible(t)
}

func cut[T any](s []T, n int) []T {
	if len(s) > n {
		return s[:n:n]
	}
	return s
}
