package hint

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session/contexts"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// checked is a command that an agent has run.
type checked struct {
	Line   string `json:"line"`
	Status int    `json:"status"` // of the whole line
	Output string `json:"output"`
}

// payload is what an agent's hook gets after the command.
func (c checked) payload(agent string) []byte {
	p := map[string]any{"session_id": "s", "cwd": "/r", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
		"tool_input": map[string]any{"command": c.Line}}
	switch agent {
	case "claude":
		p["prompt_id"], p["tool_response"] = "p", map[string]any{"stdout": c.Output, "stderr": "", "interrupted": false}
		if c.Status != 0 {
			delete(p, "tool_response")
			p["hook_event_name"], p["error"] = "PostToolUseFailure", fmt.Sprintf("Exit code %d\n%s", c.Status, c.Output)
		}
	case "codex":
		p["tool_response"], p["turn_id"] = c.Output, "t"
	case "gemini":
		p["hook_event_name"], p["tool_name"] = "AfterTool", "run_shell_command"
		p["tool_response"] = map[string]any{"llmContent": fmt.Sprintf("Output: %s\nExit Code: %d", c.Output, c.Status)}
	case "copilot":
		p = map[string]any{"hook_event_name": "postToolUse", "sessionId": "s", "cwd": "/r", "toolName": "bash", "toolArgs": map[string]any{"command": c.Line},
			"toolResult": map[string]any{"resultType": "success",
				"textResultForLlm": fmt.Sprintf("%s\n<exited with exit code %d>", c.Output, c.Status)}}
	}
	raw, _ := json.Marshal(p)
	return raw
}

// newChecks opens a log, and returns what is said of the last check after payloads of a session of
// their own, with these files changed on disk after it.
func newChecks(t *testing.T) func(agent string, after []event.Path, payloads ...[]byte) string {
	t.Helper()
	db, n := newLog(t), 0
	now := func() time.Time { return epoch }
	return func(agent string, after []event.Path, payloads ...[]byte) string {
		t.Helper()
		n++
		id := fmt.Sprint("s", n)
		for i, raw := range payloads {
			raw = []byte(strings.Replace(strings.Replace(string(raw), `"s"`, `"`+id+`"`, 1), "toolu_1", fmt.Sprint("toolu_", id, i), 1))
			call := fault.Must(hooks.Decode(agent, nil, raw, hooks.Repo{Root: "/r", Now: now}))
			_, _, err := db.Append(t.Context(), call.Events)
			fault.Check(t, err)
		}
		c, err := contexts.New(contexts.Options{DB: db}).Assemble(t.Context(), contexts.Request{Session: id, For: contexts.ForCompact,
			State: func(_ context.Context, since time.Time, _ []event.Path) contexts.Worktree {
				if len(after) > 0 && !since.Equal(epoch) {
					t.Errorf("asked for changes since %v", since)
				}
				return contexts.Worktree{Known: true, After: after}
			}})
		fault.Check(t, err)
		lines := strings.Split(c.Text(), "\n")
		if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "last check: ") }); i >= 0 {
			return strings.TrimSuffix(lines[i], ".")
		}
		return ""
	}
}

// TestLastCheck: whatever a check hides in, only what is certain is said of it, in the words of the
// command and its output. The lines with a tab below each command of testdata/checks.txt say what
// (-update writes them).
func TestLastCheck(t *testing.T) {
	lastCheck := newChecks(t)
	fault.Replies(t, "testdata/checks.txt", func(line string) (said []string) {
		var c checked
		if strings.HasPrefix(line, "#") {
			return nil
		}
		fault.Check(t, json.Unmarshal([]byte(line), &c))
		for _, agent := range []string{"claude", "codex", "gemini", "copilot"} {
			said = append(said, agent+": "+cmp.Or(lastCheck(agent, nil, c.payload(agent)), "nothing"))
		}
		return said
	})
}

// TestLastCheckUnsure: Claude Code tells of commands that run on, were stopped, or whose failure it
// takes for an answer: no status is known of them. What may have been a later check leaves none
// known.
func TestLastCheckUnsure(t *testing.T) {
	lastCheck := newChecks(t)
	c := checked{Line: "pytest -q", Output: "57 passed in 0.12s\n"}
	for _, member := range []string{`"backgroundTaskId": "b1"`, `"timedOutAfterMs": 1000`, `"returnCodeInterpretation": "No matches found"`,
		`"interrupted": true`} {
		raw := strings.Replace(string(c.payload("claude")), `"interrupted":false`, member, 1)
		fault.Same(t, member, lastCheck("claude", nil, []byte(raw)), "last check: pytest -q")
	}
	plain := strings.Replace(string(c.payload("claude")), `{"interrupted":false,"stderr":"","stdout":"57 passed in 0.12s\n"}`, `"57 passed"`, 1)
	fault.Same(t, "words alone", lastCheck("claude", nil, []byte(plain)), "last check: pytest -q")
	later := checked{Line: "ls || pytest"}.payload("claude")
	fault.Same(t, "a later one", lastCheck("claude", nil, c.payload("claude"), later), "")
	fault.Same(t, "a save", lastCheck("claude", []event.Path{"calc.py"}, c.payload("claude")),
		"last check: pytest -q; exit status 0; after it calc.py changed")
	fault.Same(t, "many saves", lastCheck("claude", []event.Path{"a", "b", "c", "d", "e", "f g", "h"}, c.payload("claude")),
		"last check: pytest -q; exit status 0; after it a, b, c, d, e, 2 more changed")
}
