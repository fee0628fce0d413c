package hooks

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestCaller: who runs a hook that was entered for Claude Code.
func TestCaller(t *testing.T) {
	own := `{"session_id":"s","transcript_path":"/t","hook_event_name":"SessionStart"}`
	tests := []struct {
		agent, payload string
		env            map[string]string
		want           string
	}{
		{"claude", own, nil, "claude"},
		{"claude", own, map[string]string{"CLAUDECODE": "1", "CURSOR_VERSION": "2"}, "claude"},
		{"claude", own, map[string]string{"CURSOR_VERSION": "2.6"}, "cursor"},
		{"claude", own, map[string]string{"COPILOT_CLI": "1"}, "claude"},
		{"claude", `{"prompt_id":"p","session_id":"s"}`, map[string]string{"CURSOR_VERSION": "2.6"}, "claude"},
		{"claude", `{"cursor_version":"2.6","conversation_id":"c"}`, map[string]string{"CLAUDECODE": "1"}, "cursor"},
		{"claude", `{"tool_result":{"result_type":"success"},"transcript_path":"/t"}`, nil, "copilot"},
		{"claude", `{"sessionId":"s","cwd":"/x"}`, nil, "copilot"},
		{"claude", `{"session_id":"s","timestamp":"2026-11-20T10:00:02Z","hook_event_name":"SessionStart"}`, nil, "copilot"},
		{"claude", `{"session_id":"s","hook_event_name":"Stop"}`, nil, "claude"},
		{"claude", `{"session_id":"s","hook_event_name":"Stop"}`, map[string]string{"COPILOT_CLI": "1"}, "copilot"},
		{"codex", `{"cursor_version":"2.6"}`, nil, "codex"},
		{"qwen", `{"timestamp":"2026-11-20T10:00:02Z"}`, nil, "qwen"},
	}
	for _, tt := range tests {
		call, err := Decode(tt.agent, tt.env, []byte(tt.payload), orchard())
		if err != nil || call.Agent != tt.want {
			t.Errorf("%s %s %v: %q, %v, want %s", tt.agent, tt.payload, tt.env, call.Agent, err, tt.want)
		}
	}
	// The recorded payloads of Claude Code are its own, in any terminal.
	files, _ := filepath.Glob("testdata/claude/*.json")
	for _, name := range files {
		if call, err := Decode("claude", map[string]string{"CLAUDECODE": "1", "CURSOR_VERSION": "2", "COPILOT_CLI": "1"},
			contentOf(t, name), orchard()); err != nil || call.Agent != "claude" {
			t.Errorf("%s: %q, %v", name, call.Agent, err)
		}
	}
}

// recorded decodes a file of testdata, as if hook AGENT had been called with it.
func recorded(t *testing.T, agent, name string, r Repo) Call {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	fault.Check(t, err)
	call, err := Decode(agent, nil, payload, r)
	fault.Check(t, err)
	return call
}

// TestRunTwice: an agent that runs its own hook and the one in Claude Code's settings tells the
// same happening twice. It has the same id, and each answer its form.
func TestRunTwice(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 2, 999e6, time.UTC)
	tests := []struct{ own, settings, answer, other string }{
		{"copilot/view", "copilot/view_claude", `{"additionalContext":"x"}`, `{"additionalContext":"x"}`},
		{"copilot/prompt", "copilot/prompt_claude", "", ""},
		{"copilot/session_start", "copilot/session_start_claude", `{"additionalContext":"x"}`, `{"additionalContext":"x"}`},
		{"cursor/read", "cursor/read", `{"additional_context":"x"}`, `{"additional_context":"x"}`},
		{"cursor/session_start", "cursor/session_start", `{"additional_context":"x"}`, `{"additional_context":"x"}`},
	}
	for _, tt := range tests {
		r := orchard()
		r.Now = func() time.Time { return now }
		a := recorded(t, filepath.Dir(tt.own), tt.own, r)
		r.Now = func() time.Time { return now.Add(40 * time.Millisecond) } // another second
		b := recorded(t, "claude", tt.settings, r)
		if len(a.Events) == 0 || a.Agent != b.Agent || a.Session != b.Session {
			t.Fatalf("%s: %+v and %+v", tt.own, a, b)
		}
		fault.Same(t, tt.own+" and "+tt.settings, b.Events, a.Events, cmpopts.IgnoreFields(event.Event{}, "Time"))
		fault.Same(t, tt.own, string(Render(a.Agent, a.Event, Block{}, "x")), tt.answer)
		fault.Same(t, tt.settings, string(Render(b.Agent, b.Event, Block{}, "x")), tt.other)
	}
}

// TestClaudeNamesAtCursor: Cursor may send Claude Code's event names when it runs its settings.
func TestClaudeNamesAtCursor(t *testing.T) {
	payload := `{"cursor_version":"2.6","conversation_id":"c","workspace_roots":["` + orchardRoot + `"],"hook_event_name":"PostToolUse",
		"tool_name":"Read","tool_use_id":"t","tool_input":{"file_path":"go.mod"},"tool_response":"x"}`
	call, err := Decode("claude", nil, []byte(payload), orchard())
	if err != nil || call.Agent != "cursor" || call.Event != "PostToolUse" || len(call.Events) != 1 ||
		call.Events[0].Agent != "cursor" {
		t.Fatalf("%+v, %v", call, err)
	}
	if call.Query == nil || call.Query.Current != "go.mod" || call.Kind != HintNext {
		t.Errorf("no question after the tool, where Cursor's model can read a text: %+v", call)
	}
	if got := string(Render(call.Agent, call.Event, Block{}, "x")); got != `{"additional_context":"x"}` {
		t.Error(got)
	}
}

// TestCopilotTime: a clock that is far off is not believed.
func TestCopilotTime(t *testing.T) {
	for raw, want := range map[string]bool{"1795168802100": true, `"2026-11-20T10:00:02Z"`: true, "0": false, "-4": false,
		`"soon"`: false, "null": false, "": false, "1e99": false} {
		var v any
		_ = json.Unmarshal([]byte(raw), &v)
		if got := timeOf(v); got.IsZero() == want {
			t.Errorf("%s: %v", raw, got)
		}
	}
	now := orchard().now()
	if got := (&payload{at: now.Add(-time.Hour)}).when(now); !got.Equal(now) {
		t.Error("an hour ago was believed")
	}
	if at := now.Add(-time.Second); !(&payload{at: at}).when(now).Equal(at) {
		t.Error("a second ago was not believed")
	}
}

// TestOwnTools: what aOa itself was asked teaches nothing, whichever tool it was and however the
// agent writes it.
func TestOwnTools(t *testing.T) {
	for _, tool := range agents.OwnTools {
		for agent, name := range map[string]string{"claude": "mcp__aoa__" + tool, "gemini": "mcp_aoa_" + tool,
			"cursor": "MCP:" + tool} {
			p := map[string]any{"hook_event_name": map[string]string{"claude": "PostToolUse", "gemini": "AfterTool",
				"cursor": "postToolUse"}[agent], "session_id": "s1", "conversation_id": "s1", "cwd": orchardRoot, "tool_name": name,
				"tool_input": map[string]any{"file": "go.mod", "query": "x"}}
			call, err := Decode(agent, nil, marshal(t, p), orchard())
			if err != nil || len(call.Events) != 0 {
				t.Errorf("%s, %s: %v %+v", agent, name, err, call.Events)
			}
		}
	}
}

// TestTwoHarnesses: VS Code runs the hooks of two settings files for one event. Both deliveries are
// the same call of the same agent.
func TestTwoHarnesses(t *testing.T) {
	files, _ := filepath.Glob("testdata/vscode/*.json")
	for _, file := range files {
		var first []byte
		for _, settings := range []string{"vscode", "copilot", "claude"} {
			call, err := Decode(settings, map[string]string{"COPILOT_CLI": "1"}, contentOf(t, file), orchard())
			if err != nil || call.Agent != "vscode" {
				t.Fatalf("%s by the settings of %s: %+v, %v", file, settings, call, err)
			}
			if got := marshal(t, call); first != nil && !bytes.Equal(got, first) {
				t.Errorf("%s by the settings of %s: %s", file, settings, got)
			} else {
				first = got
			}
		}
	}
}
