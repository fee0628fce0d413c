package reload

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Ask is what began a turn.
type Ask struct {
	Trigger
	Text string // redacted
	ID   string // of its event
	Time time.Time
}

// AskOf is what an event asks for: a person's words, a slash command, what a timer says, or that a session goes on. ok
// is false for other events. Without the text of the event, a prompt is a person's words.
func AskOf(e event.Event) (a Ask, ok bool) {
	a = Ask{ID: e.ID, Time: e.Time, Text: e.Text()}
	switch b := e.Body.(type) {
	case event.Prompt:
		a = a.words()
	case event.Call:
		a.Trigger = Trigger{Type: Scheduled, Target: digest(b.Text)}
		return a, b.Tool == event.ToolScheduled
	case event.Start:
		a.Trigger = Trigger{Resume, b.Source}
		return a, b.Source == "resume" || b.Source == "fork"
	default:
		return Ask{}, false
	}
	return a, true
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

// AskFor is what a person's words ask for.
func AskFor(prompt string) Ask { return Ask{Text: prompt}.words() }

// commandName distinguishes /review and /plugin:name from a path.
var commandName = regexp.MustCompile(`^[A-Za-z0-9_:-]{1,64}$`)

// words takes a prompt apart that calls a command: /review 12.
func (a Ask) words() Ask {
	a.Trigger = Trigger{Type: Prompt}
	rest, slash := strings.CutPrefix(a.Text, "/")
	if name, args, _ := strings.Cut(rest, " "); slash && commandName.MatchString(name) {
		a.Trigger, a.Text = Trigger{Command, name}, strings.TrimSpace(args)
	}
	return a
}

// digest names a text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}
