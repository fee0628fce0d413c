package hooks

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// input reads the arguments of a call.
func input(raw []byte) (in map[string]any) {
	_ = json.Unmarshal(raw, &in)
	return in
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

// The hook may give the folder in which the command ended.
func TestCwdAfterCommand(t *testing.T) {
	if got := sketch(bash(orchard(), orchardRoot+"/web", "cd web && cat server.go", "")); got != "read web/server.go" {
		t.Error(got)
	}
}

func TestShellResults(t *testing.T) {
	for _, c := range []struct {
		cwd, command, out string
		seen              []event.Path
		listing           bool
	}{
		{"", "grep -rn New .", "./store/basket.go:1:func New\npick/picker.go:3:see web/server.go",
			[]event.Path{"store/basket.go", "pick/picker.go"}, true},
		{"", "ls store", "basket.go\nbasket_test.go\n", []event.Path{"store/basket.go", "store/basket_test.go"}, true},
		{"/web", "find . -type f", "./server.go\n./app/[id]/page.tsx\n",
			[]event.Path{"web/server.go", "web/app/[id]/page.tsx"}, true},
		{"", "cd web && rg -l x", "server.go", []event.Path{"web/server.go"}, true},
		{"", "git status --short", " M web/server.go\n?? docs/a guide.md", []event.Path{"web/server.go"}, true},
		{"", "go test ./...", "--- FAIL\n    server_test.go:12: no\nok (see web/index.ts.)",
			[]event.Path{"web/server_test.go", "web/index.ts"}, false},
		{"", "cat go.mod", "// docs: docs/old.md, not /usr/lib/README.md nor https://x.y/README.md nor " +
			"node_modules/z/go.mod", []event.Path{"docs/old.md"}, false},
		{"", "ls vendor docs", "docs:\na guide.md\nold.md\n", []event.Path{"docs/a guide.md", "docs/old.md"}, true},
		{"", "aoa suggest pick/picker.go", "store/basket.go 0.91", nil, false},
		{"", "make", "index.ts is anybody's; orchard/README.md and a/go.mod are ours", []event.Path{"README.md", "go.mod"},
			false},
	} {
		events := bash(orchard(), orchardRoot+c.cwd, c.command, c.out)
		last := events[len(events)-1].Call()
		if d := cmp.Diff(c.seen, last.Seen); d != "" || last.Listing != c.listing {
			t.Errorf("%s: listing %v\n%s", c.command, last.Listing, d)
		}
	}
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

func TestArgv(t *testing.T) {
	r := orchard()
	s := &CallContext{Repo: r, Files: r.Locator(orchardRoot)}
	for _, in := range []string{`{"command":["bash","-lc","cat go.mod"]}`, `{"command":["cat","go.mod"]}`,
		`{"cmd":"cat go.mod"}`, `{"command":"cat server.go ../go.mod","workdir":"web"}`} {
		if got := sketch(s.Tool(ToolCall{Name: "exec_command", ID: "t", Input: input([]byte(in))})); !strings.HasSuffix(got,
			"read go.mod") {
			t.Errorf("%s: %s", in, got)
		}
	}
}
