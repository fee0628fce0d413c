package hooks

import (
	"strings"
	"unicode/utf16"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/event"
)

// The longest texts, in UTF-16 units, which is how Claude Code counts. From 10,000 on Claude Code
// would put the text into a file and show its beginning. Codex does so from 2,500 tokens on, and
// Copilot cuts at 10 KB.
const (
	MaxHint  = 1200
	MaxStart = 2000 // for the block at a session's start
)

// Render returns a block (see Block; "" for none) and a text below it in the form that an agent's event
// expects: the one JSON object that the hook prints, or nil if there is neither or the event takes no
// text. The text is made harmless and, together with the block, cut after a line to MaxHint (MaxStart
// at a session's start). The object never has a decision, because a hint must not decide about
// permissions.
func Render(agent, event, block, text string) []byte {
	left := MaxHint
	if strings.EqualFold(event, "SessionStart") {
		left = MaxStart
	}
	if block != "" {
		left -= len(utf16.Encode([]rune(block))) + 1
	}
	if text = Shorten(harmless(text), max(left, 0)); block != "" {
		text = strings.TrimRight(block+"\n"+text, "\n")
	}
	if text == "" {
		return nil
	}
	type object = map[string]any
	answer := object{}
	switch agents.EventOf(agent, event).Context {
	case agents.None:
		return nil
	case agents.Snake:
		answer["additional_context"] = text
	case agents.Steps: // the text does not stay in the conversation
		answer["injectSteps"] = []object{{"ephemeralMessage": text}}
	case agents.Person:
		answer["systemMessage"] = text
	case agents.Camel:
		answer["additionalContext"] = text
	default:
		answer["hookSpecificOutput"] = struct {
			Event string `json:"hookEventName"`
			Text  string `json:"additionalContext"`
		}{event, text}
	}
	return []byte(agents.JSON(answer))
}

// Block returns a text in a tag of its own, for Render: harmless but for the tag, and in at most MaxHint
// UTF-16 units. It is "" if not even the first fact fits. tag is "" for agents that do not use tags.
func Block(tag, text string) string {
	n, text := MaxHint, harmless(text)
	if tag != "" {
		n -= 2*len(tag) + len("<>\n\n</>")
	}
	if long := len(utf16.Encode([]rune(text))); long > n {
		if text = Shorten(text, n); !strings.Contains(text, "\n") {
			return ""
		}
	}
	if tag == "" {
		return text
	}
	return "<" + tag + ">\n" + text + "\n</" + tag + ">"
}

// harmless removes everything that could be taken for more than text: control characters other than
// line ends, invisible characters, and the bracket that begins a tag, because clients put tags
// around messages of their own. Names of files have no invisible characters here, because
// event.Path shows them as escapes.
func harmless(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '<':
			return '‹'
		case r == '\t':
			return ' '
		case r != '\n' && !event.Visible(r):
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// Shorten cuts s to n UTF-16 units: after a line if possible, else after a character.
func Shorten(s string, n int) string {
	units, line := 0, -1
	for i, r := range s {
		if r == '\n' {
			line = i
		}
		if units += max(utf16.RuneLen(r), 1); units > n {
			if line >= 0 {
				return strings.TrimRight(s[:line], " \n")
			}
			return s[:i]
		}
	}
	return s
}
