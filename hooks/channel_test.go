package hooks

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/hooks/client"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// channels is who can put text into a model's context, and where: as documented by the makers, or
// as measured.
var channels = []struct {
	agent                        string
	start, prompt, before, after string // the event, "-" before one that has no channel
	limit                        int    // bytes of an answer that surely fit
}{
	{"claude", "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", 10_000},
	// 2,500 tokens
	{"codex", "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", 7_500},
	{"qwen", "SessionStart", "UserPromptSubmit", "-PreToolUse", "PostToolUse", 10_000}, // PreToolUse by its source, 0.24.4
	{"gemini", "SessionStart", "BeforeAgent", "-BeforeTool", "AfterTool", 10_000},
	{"cursor", "sessionStart", "-beforeSubmitPrompt", "-preToolUse", "postToolUse", 10_000},
	{"copilot", "sessionStart", "-userPromptSubmitted", "-preToolUse", "postToolUse", 10_000},
	{"antigravity", "PreInvocation", "-", "-PreToolUse", "-PostToolUse", 10_000},
	{"vscode", "SessionStart", "-UserPromptSubmit", "-PreToolUse", "PostToolUse", 10_000},
	{"opencode", "-SessionStart", "-UserPromptSubmit", "-PreToolUse", "PostToolUse", 10_000},
}

func TestChannels(t *testing.T) {
	if len(channels) != len(agents.All) {
		t.Errorf("%d agents, %d rows", len(agents.All), len(channels))
	}
	longText := strings.Repeat("本", 5000)
	for _, c := range channels {
		for _, event := range []string{c.start, c.prompt, c.before, c.after} {
			event, silent := strings.CutPrefix(event, "-")
			if speaks(c.agent, event) == silent {
				t.Errorf("%s, %s: speaks is %v", c.agent, event, !silent)
			}
			if got := Render(c.agent, event, Block{}, longText); (got == nil) != silent || len(got) > c.limit {
				t.Errorf("%s, %s: %d bytes", c.agent, event, len(got))
			}
		}
	}
}

// speaks reports whether text at that event reaches the model for no more than its tokens.
func speaks(agent, event string) bool { return Call{Agent: agent, Event: event}.TakesText() }

// TestPatience holds the client's own table to what is known here: it waits where we enter a hook
// that is waited for, at an event that carries text, and nowhere else.
func TestPatience(t *testing.T) {
	for _, a := range agents.All {
		for _, e := range a.Events {
			wait, starts := client.Patience(a.Name, e.Name)
			fault.Same(t, fmt.Sprintf("%s awaits %s", a.Name, e.Name), wait > 0, e.Awaited())
			want, first := 50*time.Millisecond, false
			switch e.Canonical {
			case "SessionStart":
				want, first = 400*time.Millisecond, true
			case "UserPromptSubmit":
				want, first = 150*time.Millisecond, true
			case "Stop":
				want = 400 * time.Millisecond
			}
			if e.Awaited() && (wait != want || starts != first) {
				t.Errorf("%s, %s: waits %s, starts %v", a.Name, e.Name, wait, starts)
			}
			if e.Timeout > 0 && wait >= time.Duration(e.Timeout)*time.Second {
				t.Errorf("%s, %s: waits longer than the agent", a.Name, e.Name)
			}
		}
	}
	// Claude Code's settings, run by others
	for _, c := range [][2]string{{"cursor", "SessionStart"}, {"cursor", "PostToolUse"}, {"copilot", "SessionStart"},
		{"copilot", "PostToolUse"}} {
		if wait, _ := client.Patience(c[0], c[1]); wait == 0 {
			t.Errorf("%s, %s: the client does not wait", c[0], c[1])
		}
	}
	for _, c := range [][2]string{{"claude", "PostToolUse"}, {"claude", "SessionEnd"}, {"gemini", "BeforeTool"},
		{"codex", "Stop"},
		{"copilot", "preToolUse"}, {"git", "post-commit"}, {"", ""}, {"cursor", "stop"}} {
		if wait, starts := client.Patience(c[0], c[1]); wait != 0 || starts {
			t.Errorf("%s, %s: waits %s", c[0], c[1], wait)
		}
	}
}
