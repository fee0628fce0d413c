package event

import (
	"encoding/json"
	"strings"
	"time"
)

// Event is one entry of the event log: when and where something happened, and a Body that says
// what. All state is a fold of the events of all writers. So an event carries its own time and all
// that learning needs, and never changes after it was logged.
type Event struct {
	// ID makes deliveries idempotent: what is delivered twice has the same ID both times. It is
	// made of tool_use_id, event and agent_id; of prompt_id; of the sha of a commit; of path, mtime
	// and size of a save.
	ID       string
	Time     time.Time // when it happened, millisecond precision, UTC
	Origin   string    // the daemon of another clone that logged it; "" for this one
	Agent    string    // "claude", "git", "watch", "cli", …
	Session  string    // the agent's session id
	Subagent string    // id of the subagent inside the session
	Turn     string    // id of the prompt that this happened under
	Body     Body      // nil only before an event is made
}

// Bounds of an event. What exceeds them is cut when the event is made, not when it is read.
const (
	MaxSeen       = 60
	MaxFailing    = 3 // lines that name failures, of one call
	MaxTerms      = 32
	MaxSaid       = 64 // words of what an agent said
	MaxIdents     = 40 // of a prompt
	MaxCallIdents = 8
	MaxText       = 4096 // bytes
	MaxPaths      = 5000 // further files of one event are counted but not kept
)

// Kind is the kind of the body, "" without one.
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

// Call is the body of a call, the zero Call of other events.
func (e Event) Call() Call {
	c, _ := e.Body.(Call)
	return c
}

// Paths are the files that the event is about: those that were used, saved, committed, deleted,
// suggested; of a rename the new names.
func (e Event) Paths() []Path {
	switch b := e.Body.(type) {
	case Call:
		return b.Paths
	case Save:
		return b.Paths
	case Commit:
		return b.Paths
	case Uncommit:
		return b.Paths
	case Rename:
		return b.To
	case Delete:
		return b.Paths
	case Hint:
		return b.Paths
	case Feedback:
		return b.Paths
	}
	return nil
}

// From are the old names of a rename.
func (e Event) From() []Path {
	r, _ := e.Body.(Rename)
	return r.From
}

// Gone are the files that a commit deleted.
func (e Event) Gone() []Path {
	switch b := e.Body.(type) {
	case Commit:
		return b.Gone
	case Uncommit:
		return b.Gone
	}
	return nil
}

// Named are the files that a prompt, a command, a pattern or a hint names itself.
func (e Event) Named() []Path {
	switch b := e.Body.(type) {
	case Prompt:
		return b.Named
	case Call:
		return b.Named
	case Hint:
		return b.Named
	}
	return nil
}

// Seen are the files that a prompt's attachments or a call's result name.
func (e Event) Seen() []Path {
	switch b := e.Body.(type) {
	case Prompt:
		return b.Seen
	case Call:
		return b.Seen
	}
	return nil
}

// Terms are the words of a prompt, of a call's pattern or command, of a commit's subject, or of
// what the agent said at a stop.
func (e Event) Terms() []string {
	switch b := e.Body.(type) {
	case Prompt:
		return b.Terms
	case Call:
		return b.Terms
	case Commit:
		return b.Terms
	case Uncommit:
		return b.Terms
	case Stop:
		return b.Terms
	}
	return nil
}

// Idents are the identifiers of a prompt, of a call's pattern or command, or of what the agent said
// at a stop.
func (e Event) Idents() []string {
	switch b := e.Body.(type) {
	case Prompt:
		return b.Idents
	case Call:
		return b.Idents
	case Stop:
		return b.Idents
	}
	return nil
}

// Tags are the intent tags of a prompt or a call.
func (e Event) Tags() []string {
	switch b := e.Body.(type) {
	case Prompt:
		return b.Tags
	case Call:
		return b.Tags
	}
	return nil
}

// Text is the redacted text of a prompt, a call, a commit or a hint.
func (e Event) Text() string {
	switch b := e.Body.(type) {
	case Prompt:
		return b.Text
	case Call:
		return b.Text
	case Commit:
		return b.Text
	case Uncommit:
		return b.Text
	case Hint:
		return b.Text
	}
	return ""
}

// ChangePaths lets fn change every list of paths of the event. The event gets a body of its own,
// the lists that fn puts there.
func (e *Event) ChangePaths(fn func(*[]Path)) {
	switch b := e.Body.(type) {
	case Prompt:
		fn(&b.Named)
		fn(&b.Seen)
		e.Body = b
	case Call:
		fn(&b.Paths)
		fn(&b.Named)
		fn(&b.Seen)
		e.Body = b
	case Save:
		fn(&b.Paths)
		e.Body = b
	case Commit:
		fn(&b.Paths)
		fn(&b.Gone)
		e.Body = b
	case Uncommit:
		fn(&b.Paths)
		fn(&b.Gone)
		e.Body = b
	case Rename:
		fn(&b.From)
		fn(&b.To)
		e.Body = b
	case Delete:
		fn(&b.Paths)
		e.Body = b
	case Hint:
		fn(&b.Paths)
		fn(&b.Named)
		fn(&b.Change)
		e.Body = b
	case Feedback:
		fn(&b.Paths)
		e.Body = b
	}
}

// WithoutText returns an event as consumers of the log get it: a text that the log seals is left
// out, so that nothing that is folded depends on the key.
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
// of its output.
func (e Event) Sealed() string {
	if lines := e.Call().Failing; len(lines) > 0 || strings.HasPrefix(e.Text(), "\x00") {
		raw, _ := json.Marshal(append([]string{e.Text()}, lines...)) // texts have no error
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

// ChangeText lets fn change the text of the event and the words of the text, if it has them. The
// event gets a body of its own.
func (e *Event) ChangeText(fn func(text *string, terms *[]string)) {
	switch b := e.Body.(type) {
	case Prompt:
		fn(&b.Text, &b.Terms)
		e.Body = b
	case Call:
		if fn(&b.Text, &b.Terms); b.Text == "" {
			b.Failing = nil // what a command printed goes with it
		}
		e.Body = b
	case Commit:
		fn(&b.Text, &b.Terms)
		e.Body = b
	case Uncommit:
		fn(&b.Text, &b.Terms)
		e.Body = b
	case Hint:
		fn(&b.Text, new([]string))
		e.Body = b
	case Stop:
		fn(new(string), &b.Terms)
		e.Body = b
	}
}

// Normalize returns an event cut to its bounds, with its times in UTC, cut to milliseconds. Every
// event is normalized once, before it is logged, so that what is learned live equals what is
// learned from the log. A time more than two minutes after now becomes now, because a wrong clock
// must not decide the ranking. Times outside of the years 1970 to 9999, which git accepts in a
// commit, become the nearest time inside: neither the log nor JSON can hold them.
func (e Event) Normalize(now time.Time) Event {
	if e.Time.After(now.Add(2 * time.Minute)) {
		e.Time = now
	}
	e.Time = Possible(e.Time)
	e.ChangePaths(func(list *[]Path) { *list = cut(*list, MaxPaths) })
	words := MaxTerms
	if e.Kind() == KindStop {
		words = MaxSaid
	}
	e.ChangeText(func(text *string, terms *[]string) {
		*text, *terms = Clip(*text, MaxText), cut(*terms, words)
	})
	switch b := e.Body.(type) {
	case Prompt:
		b.Named, b.Seen, b.Tags = cut(b.Named, MaxSeen), cut(b.Seen, MaxSeen), cut(b.Tags, MaxTerms)
		b.Idents = cut(b.Idents, MaxIdents)
		e.Body = b
	case Stop:
		b.Idents = cut(b.Idents, MaxIdents)
		e.Body = b
	case Call:
		b.Named, b.Seen, b.Tags = cut(b.Named, MaxSeen), cut(b.Seen, MaxSeen), cut(b.Tags, MaxTerms)
		b.Failing, b.Idents = cut(b.Failing, MaxFailing), cut(b.Idents, MaxCallIdents)
		e.Body = b
	case Commit:
		b.Author = possibleIfKnown(b.Author)
		e.Body = b
	case Uncommit:
		b.Author = possibleIfKnown(b.Author)
		e.Body = b
	case Hint:
		b.Named = cut(b.Named, MaxSeen)
		e.Body = b
	}
	return e
}

// Misdated reports whether Normalize has to move a time of the event into the years 1970 to 9999.
func (e Event) Misdated() bool {
	author := e.Time
	switch b := e.Body.(type) {
	case Commit:
		author = b.Author
	case Uncommit:
		author = b.Author
	}
	return outside(e.Time) || outside(author) && !author.IsZero()
}

func outside(t time.Time) bool { return !Possible(t).Equal(t.Truncate(time.Millisecond)) }

// Possible returns the time in UTC, cut to milliseconds, or the nearest one in the years 1970 to
// 9999.
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

// possibleIfKnown is Possible, but that no time stays none.
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
