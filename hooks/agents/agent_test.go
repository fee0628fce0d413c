package agents_test

import (
	"fmt"
	"testing"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestTable: what must hold for every row.
func TestTable(t *testing.T) {
	known := map[string]bool{"SessionStart": true, "UserPromptSubmit": true, "PreToolUse": true, "PostToolUse": true,
		"PostToolUseFailure": true, "PostToolBatch": true, "Stop": true, "SessionEnd": true, "": true}
	for _, a := range agents.All {
		if got, ok := agents.Find(a.Name); !ok || got.Title != a.Title {
			t.Errorf("%s is not found", a.Name)
		}
		if a.Settings.Project == "" || a.Settings.Home == "" || a.Settings.User == "" {
			t.Errorf("%s: no settings file: %+v", a.Name, a.Settings)
		}
		start, end, call := false, false, false
		for _, e := range a.Events {
			if !known[e.Canonical] {
				t.Errorf("%s, %s: Claude Code has no event %s", a.Name, e.Name, e.Canonical)
			}
			if e.Installed && e.Canonical == "" {
				t.Errorf("%s, %s is installed and teaches nothing", a.Name, e.Name)
			}
			if got := a.Event(e.Name); got.Name != e.Name {
				t.Errorf("%s: %s finds %s", a.Name, e.Name, got.Name)
			}
			call = call || e.Awaited() && (e.Context == agents.Steps || e.Canonical == "PreToolUse" || e.Canonical == "PostToolUse" ||
				e.Canonical == "PostToolBatch")
			start, end = start || e.Installed && e.Canonical == "SessionStart", end || e.Installed && e.Canonical == "SessionEnd"
		}
		if !start || !end && a.Name != "antigravity" && a.Name != "vscode" { // they have no such event
			t.Errorf("%s: no start or no end of a session is installed", a.Name)
		}
		// Every kind of hint reaches the model: what is for a start or a prompt waits for a call
		// where the agent takes no text at those.
		if !call {
			t.Errorf("%s: no text reaches the model at a call", a.Name)
		}
		fault.Same(t, a.Name+" ends turns", a.EndsTurns(), a.Name == "claude" || a.Name == "codex")
	}
	if e := agents.EventOf("cursor", "PostToolUse"); e.Canonical != "PostToolUse" || e.Context != agents.Snake {
		t.Errorf("an event of Claude Code's settings at Cursor: %+v", e)
	}
	for _, c := range []struct {
		agent, event string
		want         bool
	}{{"claude", "UserPromptSubmit", true}, {"claude", "PostToolUse", false}, {"claude", "Stop", true},
		{"opencode", "SessionStart", false},
		{"cursor", "UserPromptSubmit", false}, {"cli", "UserPromptSubmit", true}} {
		fault.Same(t, fmt.Sprintf("%s takes text at %s", c.agent, c.event), agents.Takes(c.agent, c.event), c.want)
	}
	for _, c := range [][2]string{{"claude", ""}, {"claude", "Nothing"}, {"nobody", "Stop"}, {"", ""}} {
		if e := agents.EventOf(c[0], c[1]); e.Name != "" {
			t.Errorf("%v is %+v", c, e)
		}
	}
}
