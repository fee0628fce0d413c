package hooks

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// TestFailedReads: the exit status and the messages of a command decide what it read and changed.
func TestFailedReads(t *testing.T) {
	r := Repo{Root: "/r", Tree: index.NewTree(event.Paths([]string{"src/flask/sessions.py", "go.mod", "web/server.go"}))}
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
		{"cat flask/sessions.py && make", "Exit code 2\nmake: *** No targets specified and no makefile found.  Stop.", nil, "run"},
		{"cat flask/sessions.py", "", result("import os", ""), "read src/flask/sessions.py"}, // the shell is in src
		{"cat flask/sessions.py", "", "import os", "read src/flask/sessions.py"},
		{"cat web/server.go go.mod", "Exit code 1\nmodule x\ncat: web/server.go: No such file or directory", nil,
			"failed web/server.go; read go.mod"},
		{"cd web && cat server.go", "Exit code 1\ncat: server.go: No such file or directory", nil, "failed web/server.go; run"},
		{"cat go.mod", "Exit code 1\ncat: go.mod: Permission denied", nil, "run"},
		{"cat go.mod && make", "Exit code 2\nmodule x\nmake: *** [all] Error 1", nil, "read go.mod; run"},
		// another file, in the content of this one
		{"cat go.mod", "", result("see a/go.mod: No such file or directory", ""), "read go.mod"},
		{"sed -i s/a/b/ flask/sessions.py", "Exit code 2\nsed: can't read flask/sessions.py: No such file or directory",
			nil, "failed flask/sessions.py; run"},
		{"sed -i s/a/b/ flask/sessions.py", "", result("", ""), "edit src/flask/sessions.py"},
		{"rm go.mod flask/sessions.py", "Exit code 1\nrm: cannot remove 'flask/sessions.py': No such file or directory",
			nil, "failed flask/sessions.py; delete go.mod"},
	} {
		s := &CallContext{Repo: r, Files: r.Locator("/r"), Agent: "claude", Session: "s"}
		call := ToolCall{Name: "Bash", ID: "t", Input: arguments{"command": c.command}, Response: c.response,
			Failed: c.problem != "", Problem: c.problem}
		if text, plain := c.response.(string); plain && onlyMissing(text) {
			call.Failed, call.Problem = true, text
		}
		if got := sketch(s.Tool(call)); got != c.want {
			t.Errorf("%s, %q %v\n got %s\nwant %s", c.command, c.problem, c.response, got, c.want)
		}
	}
}
