package hooks

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// asked is what a prompt asks for: a person's words, a slash command, or what a timer says. nil for the reports of the
// agent's own machinery.
func (s *scene) asked(text string, events []event.Event) *event.Asked {
	if _, inner := carve(clip(redact.Private(text), maxPrompt), "scheduled-task"); strings.TrimSpace(inner) != "" {
		words := store(strings.TrimSpace(inner), event.MaxText)
		return &event.Asked{Type: "scheduled", Target: digest(words), Text: words, ID: promptID(s.turn, s.session, text, s.at), Time: s.at}
	}
	for _, e := range events {
		if e.Kind != event.KindPrompt {
			continue
		}
		a := &event.Asked{Type: "prompt", Text: e.Text, ID: e.ID, Time: e.Time}
		if name, args, slash := SlashCommand(e.Text); slash {
			a.Type, a.Target, a.Text = "command", name, args
		}
		return a
	}
	return nil
}

// SlashCommand takes a prompt apart that calls a command: /review 12. ok is false for other prompts.
func SlashCommand(prompt string) (name, args string, ok bool) {
	rest, slash := strings.CutPrefix(prompt, "/")
	name, args, _ = strings.Cut(rest, " ")
	return name, strings.TrimSpace(args), slash && commandName(name)
}

// TellsTurns reports whether the agent tells that a turn has ended: then one that is not told of was broken off.
func TellsTurns(agent string) bool { return agent == "claude" }

// commandName tells /review and /plugin:name from a path.
func commandName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !letter(c) && c != '-' && c != '_' && c != ':' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// resumed is the beginning of a session that goes on: what follows may come without a prompt.
func (s *scene) resumed(source string, events []event.Event) *event.Asked {
	if source != "resume" && source != "fork" || len(events) == 0 {
		return nil
	}
	return &event.Asked{Type: "resume", Target: source, ID: events[0].ID, Time: s.at}
}

// changes is the file that a call is about to change.
func (s *scene) changes(in object) event.Path {
	switch in.text("tool_name") {
	case "Edit", "Write", "MultiEdit":
	default:
		return ""
	}
	p, ok := s.place.file(in.object("tool_input").text("file_path"), "")
	if !ok || s.ignored(p) {
		return ""
	}
	return p
}
