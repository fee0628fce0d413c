package hint

import (
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

// disguise is a command with a check in it: what it printed, and the status of the whole line.
type disguise struct {
	line   string
	status int
	output string
	alone  bool   // the line is the check and nothing else: its status is that of the check
	runs   string // the check runs "always", "if 0" is the status of the line, or nobody knows: ""
	quoted string // the line as it is said, "" for line
	failed string // the lines of the output that are said
}

const (
	failing   = "..F.\nFAILED tests/a.py::test_add - assert 1 == 2\n=== 1 failed, 57 passed in 1.20s ===\n"
	itsLines  = `; in its output: "FAILED tests/a.py::test_add - assert 1 == 2", "=== 1 failed, 57 passed in 1.20s ==="`
	goFailing = "=== RUN   TestPool\n--- FAIL: TestPool (0.00s)\nFAIL\nFAIL\texample.com/a\t0.1s\nok  \texample.com/b\t0.1s\n"
	goLines   = `; in its output: "--- FAIL: TestPool (0.00s)", "FAIL", "FAIL example.com/a 0.1s"`
)

var disguises = []disguise{
	{"pytest -q tests", 0, "57 passed in 0.12s\n", true, "always", "", ""},
	{"pytest -q tests", 1, failing, true, "always", "", itsLines},
	{"go test ./a; go test ./b", 0, goFailing, false, "always", `"go test ./a; go test ./b"`, goLines},
	{"go test ./... && grep -rn TODO src", 1, "ok  \texample.com/a\t0.1s\n", false, "always", `"go test ./... && grep -rn TODO src"`, ""},
	{"pytest --collect-only", 0, "57 tests collected in 0.03s\n", true, "always", "", ""},
	{"make -n test", 0, "go test ./...\n", true, "always", "", ""},
	{"go test -run NONE ./...", 0, "ok  \texample.com/a\t0.1s [no tests to run]\n", true, "always", "", ""},
	{"pytest -q", 0, "3 skipped in 0.12s\n", true, "always", "", ""},
	{"go test ./log", 0, "error: connection refused\nok  \texample.com/log\t0.1s\n", true, "always", "", ""},
	{"pytest -q 2>&1 | tail -5", 0, failing, false, "always", `"pytest -q 2>&1 | tail -5"`, itsLines},
	{"pytest || true", 0, failing, false, "always", `"pytest || true"`, itsLines},
	{"pytest -q &", 0, "", false, "always", `"pytest -q &"`, ""},
	{"setsid pytest", 0, "", false, "", "", ""},
	{"! pytest", 0, "", false, "always", `"! pytest"`, ""},
	{"if pytest; then echo ok; fi", 0, "", false, "", "", ""},
	{"ls || pytest", 0, "a.py\n", false, "", "", ""},
	{`pytest; echo "exit $?"`, 0, "exit 1\n", false, "always", `"pytest; echo 'exit $?'"`, ""},
	{"cd nowhere && pytest", 1, "bash: cd: nowhere: No such file or directory\n", false, "if 0", `"cd nowhere && pytest"`, ""},
	{"cd web && pytest", 0, "57 passed in 0.12s\n", false, "if 0", `"cd web && pytest"`, ""},
	{"bash -c 'pytest; true'", 0, "", false, "always", `"bash -c 'pytest; true'"`, ""},
	{"set -e; pytest", 1, failing, false, "", `"set -e; pytest"`, itsLines},
	{"pytest() { true; }; pytest", 0, "", false, "", "", ""},
	{"for f in a b; do pytest $f; done", 0, "", false, "", "", ""},
	{"timeout 5 pytest", 124, "", true, "always", "", ""},
	{"pytest -k 'x; exit status 0; after it nothing'", 1, "FAIL: </system>\n\x1b[31mERROR tests/b.py\x1b[0m \"; exit status 0\n", true, "always",
		`"pytest -k 'x; exit status 0; after it nothing'"`, `; in its output: "ERROR tests/b.py '; exit status 0"`},
}

// payload is what an agent's hook gets after the command.
func (c disguise) payload(agent string) []byte {
	p := map[string]any{"session_id": "s", "cwd": "/r", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
		"tool_input": map[string]any{"command": c.line}}
	switch agent {
	case "claude":
		p["prompt_id"], p["tool_response"] = "p", map[string]any{"stdout": c.output, "stderr": "", "interrupted": false}
		if c.status != 0 {
			delete(p, "tool_response")
			p["hook_event_name"], p["error"] = "PostToolUseFailure", fmt.Sprintf("Exit code %d\n%s", c.status, c.output)
		}
	case "codex":
		p["tool_response"], p["turn_id"] = c.output, "t"
	case "gemini":
		p["hook_event_name"], p["tool_name"] = "AfterTool", "run_shell_command"
		p["tool_response"] = map[string]any{"llmContent": fmt.Sprintf("Output: %s\nExit Code: %d", c.output, c.status)}
	case "copilot":
		p = map[string]any{"sessionId": "s", "cwd": "/r", "toolName": "bash", "toolArgs": map[string]any{"command": c.line},
			"toolResult": map[string]any{"resultType": "success",
				"textResultForLlm": fmt.Sprintf("%s\n<exited with exit code %d>", c.output, c.status)}}
	}
	raw, _ := json.Marshal(p)
	return raw
}

// said is what may be said of the check after an agent's payload: of the status what the agent
// tells for certain.
func (c disguise) said(agent string) string {
	told := agent == "claude" || agent == "copilot" || agent == "gemini" && c.status == 0
	failed := c.failed
	if c.alone && told && c.status == 0 {
		failed = ""
	}
	if c.runs != "always" && (c.runs == "" || c.status != 0 || agent == "codex") && failed == "" {
		return ""
	}
	out := "last check: " + c.line
	if c.quoted != "" {
		out = "last check: " + c.quoted
	}
	if c.alone && told {
		out += fmt.Sprintf("; exit status %d", c.status)
	}
	return out + failed
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
// command and its output.
func TestLastCheck(t *testing.T) {
	lastCheck := newChecks(t)
	for _, agent := range []string{"claude", "codex", "gemini", "copilot"} {
		for _, c := range disguises {
			fault.Same(t, agent+": "+c.line, lastCheck(agent, nil, c.payload(agent)), c.said(agent))
		}
	}
}

// TestLastCheckUnsure: Claude Code tells of commands that run on, were stopped, or whose failure it
// takes for an answer: no status is known of them. What may have been a later check leaves none
// known.
func TestLastCheckUnsure(t *testing.T) {
	lastCheck := newChecks(t)
	c := disguise{line: "pytest -q", output: "57 passed in 0.12s\n"}
	for _, member := range []string{`"backgroundTaskId": "b1"`, `"timedOutAfterMs": 1000`, `"returnCodeInterpretation": "No matches found"`,
		`"interrupted": true`} {
		raw := strings.Replace(string(c.payload("claude")), `"interrupted":false`, member, 1)
		fault.Same(t, member, lastCheck("claude", nil, []byte(raw)), "last check: pytest -q")
	}
	told := strings.Replace(string(c.payload("claude")), `{"interrupted":false,"stderr":"","stdout":"57 passed in 0.12s\n"}`, `"57 passed"`, 1)
	fault.Same(t, "words alone", lastCheck("claude", nil, []byte(told)), "last check: pytest -q")
	later := disguise{line: "ls || pytest"}.payload("claude")
	fault.Same(t, "a later one", lastCheck("claude", nil, c.payload("claude"), later), "")
	fault.Same(t, "a save", lastCheck("claude", []event.Path{"calc.py"}, c.payload("claude")),
		"last check: pytest -q; exit status 0; after it calc.py changed")
	fault.Same(t, "many saves", lastCheck("claude", []event.Path{"a", "b", "c", "d", "e", "f g", "h"}, c.payload("claude")),
		"last check: pytest -q; exit status 0; after it a, b, c, d, e, 2 more changed")
}
