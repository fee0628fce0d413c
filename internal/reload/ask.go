package reload

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// The types of triggers.
const (
	Prompt  = "prompt"  // the words of a person, or of a timer
	Command = "command" // a slash command; Target is its name
)

// Trigger is what began a sequence.
type Trigger struct {
	Type   string `json:"triggerType"`
	Target string `json:"triggerTarget"`
}

// Ask is the request that began a turn.
type Ask struct {
	Trigger
	Text string // redacted
	ID   string // ID of its event
}

// AskOf returns the request in an event: a person's words, a slash command, or the text of a timer.
// ok is false for other events. A prompt whose text is missing counts as a person's words.
func AskOf(e event.Event) (a Ask, ok bool) {
	switch b := e.Body.(type) {
	case event.Prompt:
		ok = true
	case event.Call:
		ok = b.Tool == event.ToolScheduled
	}
	a = AskFor(e.Text())
	a.ID = e.ID
	return a, ok
}

// Began returns the request that began a turn, if one of the events did.
func Began(events []event.Event) (a Ask, ok bool) {
	for _, e := range events {
		if a, ok = AskOf(e); ok {
			return a, true
		}
	}
	return Ask{}, false
}

// commandName distinguishes /review and /plugin:name from a path.
var commandName = index.LazyRegexp(`^[A-Za-z0-9_:-]{1,64}$`)

// AskFor returns the request in a person's words. A prompt that calls a command, such as /review
// 12, is split.
func AskFor(prompt string) Ask {
	rest, slash := strings.CutPrefix(prompt, "/")
	if name, args, _ := strings.Cut(rest, " "); slash && commandName().MatchString(name) {
		return Ask{Trigger: Trigger{Command, name}, Text: strings.TrimSpace(args)}
	}
	return Ask{Trigger: Trigger{Type: Prompt}, Text: prompt}
}
