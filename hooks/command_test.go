package hooks

import (
	"fmt"
	"maps"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestFailedReads: the exit status and the messages of a command decide what it read and changed.
func TestFailedReads(t *testing.T) {
	r := Repo{Root: "/r", Tree: index.NewTree(eventtest.Paths([]string{"src/flask/sessions.py", "go.mod", "web/server.go"}))}
	const missing = "cat: flask/sessions.py: No such file or directory"
	result := func(stdout, stderr string) any { return map[string]any{"stdout": stdout, "stderr": stderr} }
	for _, c := range []struct {
		command  string
		problem  string // of a call that failed
		response any
		want     string
	}{
		{"cat flask/sessions.py", "Exit code 1\n" + missing, nil, "failed flask/sessions.py; run"},
		{"cat flask/sessions.py", "", missing, "failed flask/sessions.py; run"}, // Codex has no exit status
		{"cat flask/sessions.py; ls src", "", result("flask", missing), "search"},
		{"cat flask/sessions.py | head -3", "", result("", missing), "run"},
		{"cat flask/sessions.py 2>/dev/null || true", "", result("", ""), "run"},
		{"cat flask/sessions.py && make", "Exit code 2\nmake: *** No targets specified and no makefile found.  Stop.", nil,
			"run"},
		{"cat flask/sessions.py", "", result("import os", ""), "read src/flask/sessions.py"}, // the shell is in src
		{"cat flask/sessions.py", "", "import os", "read src/flask/sessions.py"},
		{"cat web/server.go go.mod", "Exit code 1\nmodule x\ncat: web/server.go: No such file or directory", nil,
			"failed web/server.go; read go.mod"},
		{"cd web && cat server.go", "Exit code 1\ncat: server.go: No such file or directory", nil,
			"failed web/server.go; run"},
		{"cat go.mod", "Exit code 1\ncat: go.mod: Permission denied", nil, "run"},
		{"cat go.mod && make", "Exit code 2\nmodule x\nmake: *** [all] Error 1", nil, "read go.mod; run"},
		// another file, in the content of this one
		{"cat go.mod", "", result("see a/go.mod: No such file or directory", ""), "read go.mod"},
		{"sed -i s/a/b/ flask/sessions.py", "Exit code 2\nsed: can't read flask/sessions.py: No such file or directory",
			nil, "failed flask/sessions.py; run"},
		{"sed -i s/a/b/ flask/sessions.py", "", result("", ""), "edit src/flask/sessions.py"},
		{"rm go.mod flask/sessions.py", "Exit code 1\nrm: cannot remove 'flask/sessions.py': No such file or directory",
			nil, "run @go.mod @src/flask/sessions.py"},
		{"pytest tests/a.py::test_x", "Exit code 4\nERROR: file or directory not found: tests/a.py::test_x\n", nil,
			"failed tests/a.py; run"},
		{"cd web && git add a.go", "Exit code 128\nfatal: pathspec 'a.go' did not match any files", nil, "failed web/a.go; run"},
		{"git show HEAD:web/a.go", "Exit code 128\nfatal: path 'web/a.go' does not exist in 'HEAD'", nil, "failed web/a.go; run"},
		{"git log -- web/a.go", "Exit code 128\nfatal: ambiguous argument 'web/a.go': unknown revision or path not in the working tree.",
			nil, "failed web/a.go; run"},
		{"ls web/a.go", "Exit code 2\nls: cannot access 'web/a.go': No such file or directory", nil, "failed web/a.go; search"},
		{"rg x web/a.go", "Exit code 2\nrg: web/a.go: IO error for operation on web/a.go: No such file", nil, "failed web/a.go; search /x/"},
		{"python web/a.py", "Exit code 2\npython: can't open file '/r/web/a.py': [Errno 2] No such file or directory", nil,
			"failed web/a.py; run"},
		{"node web/a.js", "Exit code 1\nError: Cannot find module '/r/web/a.js'", nil, "failed web/a.js; run"},
		{"make", "Exit code 2\npytest: file or directory not found: tests/a.py", nil, "run"}, // the line does not name it
	} {
		s := &CallContext{Repo: r, Files: r.Locator("/r"), Agent: "claude", Session: "s"}
		call := ToolCall{Name: "Bash", ID: "t", Input: arguments{"command": c.command}, Response: c.response,
			Failed: c.problem != "", Problem: c.problem}
		if text, plain := c.response.(string); plain && onlyMissing(text) {
			call.Failed, call.Problem = true, text
		}
		fault.Same(t, fmt.Sprintf("%s, %q %v", c.command, c.problem, c.response), sketch(s.Tool(call)), c.want)
	}
}

// TestStatus: a command of whose end nothing is known is marked, so that no one says that its tests
// passed.
func TestStatus(t *testing.T) {
	type o = map[string]any
	shell := func(input, response any) o {
		return o{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": input, "tool_response": response}
	}
	pytest := o{"command": "pytest"}
	for name, c := range map[string]struct {
		agent   string
		payload o
		why     string
	}{
		"claude":            {"claude", shell(pytest, o{"stdout": "3 passed", "interrupted": false}), ""},
		"claude, as a text": {"claude", shell(pytest, "3 passed"), ""},
		"claude, background": {"claude", shell(o{"command": "pytest", "run_in_background": true}, o{"stdout": ""}),
			"unknown"},
		"claude, moved": {"claude", shell(pytest, o{"stdout": "", "backgroundTaskId": "b1"}), "unknown"},
		"claude, moved, as a text": {"claude",
			shell(pytest, "Command running in background with ID: b1. Output is being written to: /tmp/x"), "unknown"},
		"claude, by the user": {"claude", shell(pytest, "Command was manually backgrounded by user with ID: b1"), "unknown"},
		"claude, interrupted": {"claude", shell(pytest, o{"stdout": "", "interrupted": true}), "unknown"},
		"claude, timed out":   {"claude", shell(pytest, o{"stdout": "", "timedOutAfterMs": 120000}), "unknown"},
		"claude, interpreted": {"claude", shell(pytest, o{"stdout": "", "returnCodeInterpretation": "No matches found"}),
			"unknown"},
		"codex":              {"codex", shell(pytest, "1 failed, 2 passed"), "unknown"},
		"codex, printed":     {"codex", shell(pytest, "Exit Code: 0"), "unknown"},
		"codex, with a code": {"codex", shell(pytest, o{"output": "ok", "exit_code": 0}), ""},
		"copilot": {"copilot", o{"toolName": "bash", "toolArgs": pytest,
			"toolResult": o{"resultType": "success", "textResultForLlm": "1 failed, 2 passed"}}, "unknown"},
		"copilot, with a code": {"copilot", o{"toolName": "bash", "toolArgs": pytest,
			"toolResult": o{"resultType": "success", "textResultForLlm": "3 passed\n<exited with exit code 0>"}}, ""},
		"copilot, printed and failed": {"copilot", o{"toolName": "bash", "toolArgs": pytest,
			"toolResult": o{"resultType": "success",
				"textResultForLlm": "Exit Code: 0\n<shellId: 3 completed with exit code 1>"}}, "failed"},
		"gemini": {"gemini", o{"tool_name": "run_shell_command", "tool_input": pytest,
			"tool_response": o{"llmContent": "Output: 3 passed"}}, "unknown"},
		"gemini, with a code": {"gemini", o{"tool_name": "run_shell_command", "tool_input": pytest,
			"tool_response": o{"llmContent": "Output: 3 passed\nExit Code: 0"}}, ""},
		"opencode": {"opencode", o{"tool_name": "bash", "tool_input": pytest, "tool_response": "3 passed"}, "unknown"},
		"opencode, with a code": {"opencode", o{"tool_name": "bash", "tool_input": pytest,
			"tool_response": o{"output": "3 passed", "exit_code": 0}}, ""},
		"opencode, failed": {"opencode", o{"tool_name": "bash", "tool_input": pytest,
			"tool_response": o{"output": "1 failed", "exit_code": 1}}, "failed"},
		"cursor": {"cursor", o{"tool_name": "Shell", "tool_input": pytest,
			"tool_output": `{"exitCode": 0, "stdout": "3 passed"}`}, ""},
	} {
		p := o{"hook_event_name": map[string]string{"gemini": "AfterTool", "cursor": "postToolUse",
			"copilot": "postToolUse"}[c.agent], "session_id": "s1", "conversation_id": "s1", "cwd": orchardRoot}
		if p["hook_event_name"] == "" {
			p["hook_event_name"] = "PostToolUse"
		}
		maps.Copy(p, c.payload)
		call, err := Decode(c.agent, nil, marshal(t, p), orchard())
		if err != nil || len(call.Events) != 1 || call.Events[0].Kind() != event.KindRun {
			t.Errorf("%s: %v %+v", name, err, call.Events)
			continue
		}
		got := call.Events[0].Call()
		if want := c.why != "failed"; got.OK() != want || want && string(got.Failure) != c.why {
			t.Errorf("%s: ok %v, why %q; want %q", name, got.OK(), got.Failure, c.why)
		}
	}
}

// TestLooks: git add, commit, status and diff look at a change, or end it.
func TestLooks(t *testing.T) {
	for line, want := range map[string]bool{"git commit -am x": true, "cd web && git status": true,
		"git -C web diff --stat": true, "git --no-pager diff": true, "make && git add -A": true, "git log": false,
		"legit add": false, "git checkout add": false, "echo commit": false, "git show diff": false,
		"echo 'git add'": false, "bash -c 'make && git diff'": true} {
		events := bash(orchard(), orchardRoot, line, "")
		if last := events[len(events)-1].Call(); last.Looks != want {
			t.Errorf("%q: %+v", line, last)
		}
	}
}
