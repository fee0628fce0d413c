package hooks

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// shape is how an agent wants text that its model shall read.
type shape uint8

const (
	nested shape = iota + 1 // {"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}
	camel                   // {"additionalContext":…}
	snake                   // {"additional_context":…}
)

// mouths says which events carry text to the model, and in which shape; what is not here does not.
// Claude Code 2.1.329 and Codex 0.169.0 were measured (Codex accepts PostToolUse and drops its text), the
// others are as their makers document them, but for Qwen Code's PreToolUse: 0.24.4 takes its text and hands it to
// nobody. Events with a capital letter at Cursor and Copilot are those that they
// run from Claude Code's settings.
var mouths = map[string]map[string]shape{
	"claude": {"SessionStart": nested, "SubagentStart": nested, "UserPromptSubmit": nested, "UserPromptExpansion": nested,
		"PreToolUse": nested, "PostToolUse": nested, "PostToolUseFailure": nested, "PostToolBatch": nested, "PostModelSwitch": nested},
	"codex": {"SessionStart": nested, "SubagentStart": nested, "UserPromptSubmit": nested, "PreToolUse": nested},
	"qwen": {"SessionStart": nested, "SubagentStart": nested, "UserPromptSubmit": nested,
		"PostToolUse": nested, "PostToolUseFailure": nested},
	"gemini":   {"SessionStart": nested, "BeforeAgent": nested, "AfterTool": nested},
	"cursor":   {"sessionStart": snake, "postToolUse": snake, "SessionStart": snake, "PostToolUse": snake},
	"copilot":  {"sessionStart": camel, "subagentStart": camel, "postToolUse": camel, "SessionStart": camel, "SubagentStart": camel, "PostToolUse": camel},
	"opencode": {"PostToolUse": camel}, // read by our plugin, which puts it behind the tool's output
}

// ends are events whose text reaches the model too, but keeps the turn going and costs a call of it.
var ends = map[string]map[string]shape{
	"claude": {"Stop": nested, "SubagentStop": nested},
}

// Speaks reports whether text given at that event reaches the agent's model for no more than its tokens. Where it
// does not, the text may wait for the next event that does.
func Speaks(agent, event string) bool { return mouths[agent][event] != 0 }

// Continues reports whether text given at that event reaches the model and makes it go on when it was done: only
// for those who asked for it.
func Continues(agent, event string) bool { return ends[agent][event] != 0 }

// Longest texts, in UTF-16 units, which is how Claude Code counts. Over 10,000 it would put the text into a
// file and show its beginning; Codex does so over 2,500 tokens, Copilot cuts at 10 KB.
const (
	MaxHint  = 1200
	MaxStart = 2000 // the block at a session's start
)

func longest(event string) int {
	if event == "SessionStart" || event == "sessionStart" {
		return MaxStart
	}
	return MaxHint
}

// Render dresses text for an agent's event: the one JSON object that the hook prints, or nil when there is
// nothing to say or no way to say it. The text is made harmless and cut at a line's end to MaxHint (MaxStart
// at a session's start). The object never holds a decision: a hint must not answer a question of permission.
func Render(agent, event, text string) []byte {
	return dress(agent, event, shorten(harmless(text), longest(event)), "")
}

// dress puts a text that is harmless into the agent's JSON, and a notice for the person beside it.
func dress(agent, event, text, notice string) []byte {
	how := max(mouths[agent][event], ends[agent][event])
	if how == 0 || text == "" {
		return nil
	}
	switch how {
	case snake:
		return []byte(compact(struct {
			Text string `json:"additional_context"`
		}{text}))
	case camel:
		return []byte(compact(struct {
			Text string `json:"additionalContext"`
		}{text}))
	}
	type output struct {
		Event string `json:"hookEventName"`
		Text  string `json:"additionalContext"`
	}
	return []byte(compact(struct {
		Notice string `json:"systemMessage,omitempty"`
		Output output `json:"hookSpecificOutput"`
	}{notice, output{event, text}}))
}

// harmless takes out what could pass for more than text: control characters other than line ends, invisible
// characters that reorder or hide, and angle brackets, which look like the tags that clients put around
// messages of their own (Gemini would escape them).
func harmless(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '<':
			return '‹'
		case r == '>':
			return '›'
		case r == '\t':
			return ' '
		case r == '\n':
			return r
		case r < 0x20, r >= 0x7f && r < 0xa0, r == utf8.RuneError, r == 0xfeff,
			r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r >= 0xe0000 && r <= 0xe007f:
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// shorten cuts s to n UTF-16 units, at the end of a line if there is one, else of a character.
func shorten(s string, n int) string {
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
