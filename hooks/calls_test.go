package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestCalls decodes the calls of testdata/calls.txt. The lines with a tab below each say what is
// learned from it, and what is asked (-update writes them).
//
//	AGENT [NAME=VALUE…] PAYLOAD          as it is, with a part of the environment
//	AGENT EVENT PAYLOAD                  with what all payloads have: a session, a folder, an id
//	bash {command, cwd, stdout, stderr, response, failed}  a command that Claude Code has run
//	prompt TEXT                          a prompt of Claude Code
func TestCalls(t *testing.T) {
	r := orchard()
	r.Roots = append(r.Roots, orchardRoot+"/trees/plum")
	fault.Replies(t, "testdata/calls.txt", func(line string) (out []string) {
		if strings.HasPrefix(line, "#") {
			return nil
		}
		agent, env, payload := callOf(t, strings.ReplaceAll(line, "$ROOT", orchardRoot))
		call, err := Decode(agent, env, payload, r)
		fault.Check(t, err)
		for _, said := range learned(t, agent, call) {
			out = append(out, strings.ReplaceAll(said, orchardRoot, "$ROOT"))
		}
		return out
	})
}

// callOf reads a line.
func callOf(t *testing.T, line string) (agent string, env map[string]string, payload []byte) {
	head, text, _ := strings.Cut(line, " {")
	text = "{" + text
	var prompt string
	if rest, is := strings.CutPrefix(line, "prompt "); is {
		fault.Check(t, json.Unmarshal([]byte(rest), &prompt))
		return "claude", nil, marshal(t, map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "s1",
			"cwd": orchardRoot, "prompt": prompt})
	}
	words := strings.Fields(head)
	var p map[string]any
	fault.Check(t, json.Unmarshal([]byte(text), &p))
	if words[0] == "bash" {
		words, p = []string{"claude", "PostToolUse"}, commandRun(p)
		if p["error"] != nil {
			words[1] = "PostToolUseFailure"
		}
	}
	env = map[string]string{}
	for _, w := range words[1:] {
		if name, value, is := strings.Cut(w, "="); is {
			env[name] = value
			continue
		}
		for k, v := range map[string]any{"hook_event_name": w, "session_id": "s1", "conversation_id": "s1",
			"cwd": orchardRoot, "tool_use_id": "t"} {
			if p[k] == nil {
				p[k] = v
			}
		}
	}
	return words[0], env, marshal(t, p)
}

// commandRun is the payload of a command that Claude Code has run.
func commandRun(c map[string]any) map[string]any {
	p := map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": c["command"]}}
	if dir, is := c["cwd"].(string); is {
		p["cwd"] = orchardRoot + "/" + dir
	}
	switch {
	case c["failed"] != nil:
		p["error"] = c["failed"]
	case c["response"] != nil:
		p["tool_response"] = c["response"]
	default:
		p["tool_response"] = map[string]any{"stdout": c["stdout"], "stderr": c["stderr"]}
	}
	return p
}

// learned are the events of a call without what all of them have, and its question.
func learned(t *testing.T, asked string, call Call) (lines []string) {
	if call.Agent != asked {
		lines = append(lines, "by "+call.Agent)
	}
	for _, e := range call.Events {
		var all map[string]any
		fault.Check(t, json.Unmarshal(marshal(t, e), &all))
		line := string(e.Kind())
		for _, k := range slices.Sorted(maps.Keys(all)) {
			if !slices.Contains([]string{"id", "time", "agent", "session", "kind", "act", "digest", "bytes", "tool"}, k) {
				line += fmt.Sprintf("; %s %v", k, all[k])
			}
		}
		if c := e.Call(); c.Command != c.Text {
			line += "; command " + c.Command
		}
		if edits := e.Call().Edits; len(edits) > 0 {
			line += fmt.Sprintf("; edits %+v", edits)
		}
		lines = append(lines, line)
	}
	if q := call.Query; q != nil {
		lines = append(lines, fmt.Sprintf("asks: task %q, current %q", q.Task, q.Current))
	}
	return lines
}

// recorded decodes a file of testdata, as if hook AGENT had been called with it.
func recorded(t *testing.T, agent, name string, r Repo) Call {
	t.Helper()
	payload := fault.Must(os.ReadFile(filepath.Join("testdata", name+".json")))
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
		fault.Same(t, tt.own, string(Render(a.Agent, a.Event, "", "x")), tt.answer)
		fault.Same(t, tt.settings, string(Render(b.Agent, b.Event, "", "x")), tt.other)
	}
}

// TestTwoHarnesses: VS Code runs the hooks of two settings files for one event. Both deliveries are
// the same call of the same agent.
func TestTwoHarnesses(t *testing.T) {
	files, _ := filepath.Glob("testdata/vscode/*.json")
	for _, file := range files {
		var first []byte
		for _, settings := range []string{"vscode", "copilot", "claude"} {
			call, err := Decode(settings, map[string]string{"COPILOT_CLI": "1"}, fault.Read(t, file), orchard())
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
	s := &CallContext{Repo: r, Files: r.Locator(cwd), Agent: "claude", Session: "s", Time: r.Now()}
	c := ToolCall{Name: "Bash", ID: "t", Input: members{"command": command}}
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
