package hooks

import (
	"regexp"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// asked is what a prompt asks for: a person's words, a slash command, or what a timer says. nil for the reports of the
// agent's own machinery.
func (s *CallContext) asked(text string, events []event.Event) *event.Asked {
	if _, inner := cutTag(event.Clip(redact.Private(text), maxPrompt), "scheduled-task"); strings.TrimSpace(inner) != "" {
		words := store(strings.TrimSpace(inner), event.MaxText)
		return &event.Asked{Type: "scheduled", Target: digest(words), Text: words, ID: s.promptID(text), Time: s.Time}
	}
	for _, e := range events {
		if e.Kind() == event.KindPrompt {
			return Asked(e)
		}
	}
	return nil
}

// Asked is what a prompt asks for, read from its event.
func Asked(e event.Event) *event.Asked {
	a := &event.Asked{Type: "prompt", Text: e.Text(), ID: e.ID, Time: e.Time}
	if name, args, slash := SlashCommand(e.Text()); slash {
		a.Type, a.Target, a.Text = "command", name, args
	}
	return a
}

// commandName distinguishes /review and /plugin:name from a path.
var commandName = regexp.MustCompile(`^[A-Za-z0-9_:-]{1,64}$`)

// SlashCommand takes a prompt apart that calls a command: /review 12. ok is false for other prompts.
func SlashCommand(prompt string) (name, args string, ok bool) {
	rest, slash := strings.CutPrefix(prompt, "/")
	name, args, _ = strings.Cut(rest, " ")
	return name, strings.TrimSpace(args), slash && commandName.MatchString(name)
}

// resumed is the beginning of a session that goes on: what follows may come without a prompt.
func (s *CallContext) resumed(source string, events []event.Event) *event.Asked {
	if source != "resume" && source != "fork" || len(events) == 0 {
		return nil
	}
	return &event.Asked{Type: "resume", Target: source, ID: events[0].ID, Time: s.Time}
}
