package hooks

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/hooks/client"
)

// channels is who can put text into a model's context, and where: as documented by the makers, or as measured.
var channels = []struct {
	agent                        string
	start, prompt, before, after string // the event, "-" before one that has no channel
	limit                        int    // bytes of an answer that surely fit
}{
	{"claude", "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", 10_000},
	{"codex", "SessionStart", "UserPromptSubmit", "PreToolUse", "-PostToolUse", 7_500}, // 2,500 tokens; PostToolUse measured
	{"qwen", "SessionStart", "UserPromptSubmit", "-PreToolUse", "PostToolUse", 10_000}, // PreToolUse by its source, 0.24.4
	{"gemini", "SessionStart", "BeforeAgent", "-BeforeTool", "AfterTool", 10_000},
	{"cursor", "sessionStart", "-beforeSubmitPrompt", "-preToolUse", "postToolUse", 10_000},
	{"copilot", "sessionStart", "-userPromptSubmitted", "-preToolUse", "postToolUse", 10_000},
	{"opencode", "-SessionStart", "-UserPromptSubmit", "-PreToolUse", "PostToolUse", 10_000},
}

func TestChannels(t *testing.T) {
	if len(channels) != len(agents) {
		t.Errorf("%d agents, %d rows", len(agents), len(channels))
	}
	longText := strings.Repeat("本", 5000)
	for _, c := range channels {
		for _, event := range []string{c.start, c.prompt, c.before, c.after} {
			event, silent := strings.CutPrefix(event, "-")
			if Speaks(c.agent, event) == silent {
				t.Errorf("%s, %s: speaks is %v", c.agent, event, !silent)
			}
			if got := Render(c.agent, event, longText); (got == nil) != silent || len(got) > c.limit {
				t.Errorf("%s, %s: %d bytes", c.agent, event, len(got))
			}
		}
	}
	for agent, events := range mouths {
		if _, err := AgentOf(agent); err != nil {
			t.Error(err)
		}
		for event := range events {
			if Continues(agent, event) {
				t.Errorf("%s, %s is both free and dear", agent, event)
			}
		}
	}
}

// TestPatience holds the client's own table to what is known here: it waits where we enter a hook that is waited
// for, at an event that carries text, and nowhere else.
func TestPatience(t *testing.T) {
	for _, a := range Agents() {
		for _, b := range a.beats {
			wait, starts := client.Patience(a.Name, b.event)
			speaks := (Speaks(a.Name, b.event) || Continues(a.Name, b.event)) && !b.async
			if (wait > 0) != speaks {
				t.Errorf("%s, %s: waits %d ms, speaks %v", a.Name, b.event, wait, speaks)
			}
			want, first := int64(50), false
			switch translatedEvent(a.Name, b.event) {
			case "SessionStart":
				want, first = 400, true
			case "UserPromptSubmit":
				want, first = 150, true
			}
			if speaks && (wait != want || starts != first) {
				t.Errorf("%s, %s: waits %d ms, starts %v", a.Name, b.event, wait, starts)
			}
			if b.timeout > 0 && wait >= int64(b.timeout)*1000 {
				t.Errorf("%s, %s: waits longer than the agent", a.Name, b.event)
			}
		}
	}
	for agent, events := range mouths { // events of Claude Code's settings, run by others
		for event := range events {
			if wait, _ := client.Patience(agent, event); wait == 0 && (agent == "cursor" || agent == "copilot") && !strings.HasPrefix(strings.ToLower(event), "sub") {
				t.Errorf("%s, %s: nobody waits", agent, event)
			}
		}
	}
	for _, c := range [][2]string{{"claude", "PostToolUse"}, {"claude", "SessionEnd"}, {"gemini", "BeforeTool"}, {"codex", "PostToolUse"},
		{"copilot", "preToolUse"}, {"git", "post-commit"}, {"", ""}, {"cursor", "stop"}} {
		if wait, starts := client.Patience(c[0], c[1]); wait != 0 || starts {
			t.Errorf("%s, %s: waits %d ms", c[0], c[1], wait)
		}
	}
}

// translatedEvent is Claude Code's name of an agent's event.
func translatedEvent(agent, event string) string {
	in := object{}
	in.put("hook_event_name", event)
	return translators[agent](in).event
}
