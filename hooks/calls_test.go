package hooks

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

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
	const file = "testdata/calls.txt"
	raw, err := os.ReadFile(file)
	fault.Check(t, err)
	r := orchard()
	r.Roots = append(r.Roots, orchardRoot+"/trees/plum")
	var out strings.Builder
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		out.WriteString(line)
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		agent, env, payload := callOf(t, strings.ReplaceAll(line, "$ROOT", orchardRoot))
		call, err := Decode(agent, env, payload, r)
		fault.Check(t, err)
		for _, said := range learned(t, agent, call) {
			out.WriteString("\t" + strings.ReplaceAll(said, orchardRoot, "$ROOT") + "\n")
		}
	}
	fault.Golden(t, file, out.String())
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
		lines = append(lines, fmt.Sprintf("asks %s: task %q, current %q", call.Kind, q.Task, q.Current))
	}
	return lines
}
