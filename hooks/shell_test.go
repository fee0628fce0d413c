package hooks

import (
	"strconv"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// sketch writes events in one line: "read a.go; search x [dir] @named; run".
func sketch(events []event.Event) string {
	var out []string
	for _, e := range events {
		s := string(e.Kind())
		if e.Kind() == event.KindSearch && e.Text() != "" {
			s += " /" + e.Text() + "/"
		}
		for i, p := range e.From() {
			s += " " + string(p) + ">" + string(e.Paths()[i])
		}
		if len(e.From()) == 0 {
			for _, p := range e.Paths() {
				s += " " + string(p)
			}
		}
		for _, p := range e.Named() {
			s += " @" + string(p)
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// bash runs a command line. Without stdout there is no result yet.
func bash(r Repo, cwd, command, stdout string) []event.Event {
	s := &CallContext{Repo: r, Files: r.Locator(cwd), Agent: "claude", Session: "s", Time: r.now()}
	c := ToolCall{Name: "Bash", ID: "t", Input: arguments{"command": command}}
	if stdout != "" {
		c.Response = map[string]any{"stdout": stdout}
	}
	return s.Tool(c)
}

func TestShellBounds(t *testing.T) {
	r := bigRepo(3000)
	var out strings.Builder
	for p := range 200 {
		out.WriteString("dira/pkg/file" + strconv.Itoa(p) + ".go\n")
	}
	events := bash(r, "/r", "ls dira/pkg", out.String())
	if n := len(events[0].Seen()); n != event.MaxSeen {
		t.Errorf("%d seen, want %d", n, event.MaxSeen)
	}
	many := strings.Repeat("cat dira/pkg/file1.go dirb/pkg/file2.go; ", 5000)
	if n := len(bash(r, "/r", many, "")); n == 0 || n > 60 {
		t.Errorf("%d events", n)
	}
	if got := sketch(bash(r, "/r", "grep -n Serve dira/pkg/*.go dirb/pkg/file1.go && wc -l dira/pkg/*.go",
		"")); got != "search /Serve/ @dirb/pkg/file1.go; run" {
		t.Errorf("a wide pattern names files: %s", got)
	}
	all := bash(r, "/r", "cat dira/pkg/*.go", "")
	if len(all) != 1 || len(all[0].Paths()) != event.MaxSeen {
		t.Errorf("a wide pattern: %d events", len(all))
	}
	for _, src := range []string{strings.Repeat("(", 60_000), strings.Repeat("$(", 900) + strings.Repeat(")", 900),
		strings.Repeat("{ ", 1900),
		"cat " + strings.Repeat("{a,b}", 40), "cat {1..99999999}", strings.Repeat("bash -c \"", 50),
		strings.Repeat("for x in a b c d e f g h; do ", 12) + "ls" + strings.Repeat("; done", 12),
		strings.Repeat("cat */*/*.go;", 4000), strings.Repeat("eval eval ", 1000)} {
		if events := bash(r, "/r", src, ""); len(events) == 0 || len(events) > 60 {
			t.Errorf("%.20s: %d events", src, len(events))
		}
	}
}
