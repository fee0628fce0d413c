package reload

import (
	"regexp"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// The types of triggers.
const (
	Prompt  = "prompt"  // words of a person or a timer
	Command = "command" // a slash command: Target is its name
)

// Trigger is what began a sequence.
type Trigger struct {
	Type   string `json:"triggerType"`
	Target string `json:"triggerTarget"`
}

// Ask is what began a turn.
type Ask struct {
	Trigger
	Text string // redacted
	ID   string // of its event
}

// AskOf is what an event asks for: a person's words, a slash command, or what a timer says. ok is false for other
// events. Without the text of the event, a prompt is a person's words.
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

// Began is what began a turn, if one of the events did.
func Began(events []event.Event) (a Ask, ok bool) {
	for _, e := range events {
		if a, ok = AskOf(e); ok {
			return a, true
		}
	}
	return Ask{}, false
}

// commandName distinguishes /review and /plugin:name from a path.
var commandName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_:-]{1,64}$`)
})

// AskFor is what a person's words ask for. It takes a prompt apart that calls a command: /review 12.
func AskFor(prompt string) Ask {
	rest, slash := strings.CutPrefix(prompt, "/")
	if name, args, _ := strings.Cut(rest, " "); slash && commandName().MatchString(name) {
		return Ask{Trigger: Trigger{Command, name}, Text: strings.TrimSpace(args)}
	}
	return Ask{Trigger: Trigger{Type: Prompt}, Text: prompt}
}
