package hooks

import (
	"encoding/json"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// told is what a payload says in the words of Claude Code. Every agent's payload is put into them, so that one
// reading (listen) serves all.
type told struct {
	name  string    // the event as the agent calls it: its answer has to bear that name
	event string    // the event as Claude Code calls it, "" if it has none like it
	in    object    // the payload with Claude Code's keys
	dir   string    // where the tool ran, if not in cwd
	deaf  bool      // the agent drops what is answered here, though it takes text at such events
	at    time.Time // when, if the payload says it
}

// retold begins the translation of a payload: the keys that all events have.
func retold(name, event string, in object, session string) told {
	out := object{}
	for key, from := range map[string][]string{"cwd": {"cwd"}, "prompt": {"prompt"}, "source": {"source"}, "reason": {"reason"}, "agent_id": {"agent_id"},
		"prompt_id": {"prompt_id", "generation_id", "turn_id"}, "tool_use_id": {"tool_use_id", "tool_call_id"}, "stop_hook_active": {"stop_hook_active"}} {
		out.take(key, in, from...)
	}
	out.put("session_id", session)
	return told{name: name, event: event, in: out}
}

// take copies the first of the keys that in has.
func (o object) take(key string, in object, from ...string) {
	for _, k := range from {
		if raw, ok := in[k]; ok && string(raw) != "null" && string(raw) != `""` {
			o[key] = raw
			return
		}
	}
}

func (o object) put(key, text string) {
	if text != "" {
		raw, err := json.Marshal(text)
		if err == nil {
			o[key] = raw
		}
	}
}

// toolNames maps an agent's tools to Claude Code's. What is not in it tells nothing, unless it is an MCP server's.
type toolNames map[string]string

// argument is a key of Claude Code's tools and the keys that other agents have for it.
type argument struct {
	key  string
	from []string
}

var (
	fileArgument   = argument{"file_path", []string{"file_path", "filePath", "absolute_path", "path", "target_file", "filename", "notebook_path"}}
	folderArgument = argument{"path", []string{"path", "dir_path", "directory", "dir", "target_directory"}}
	matchArgument  = argument{"pattern", []string{"pattern", "query", "regex", "search", "glob_pattern", "glob", "search_term"}}
)

// arguments are what is read of a call; the rest of its input is not passed on, so that two dialects in which the
// same call is told agree on it.
var arguments = map[string][]argument{
	"Read": {fileArgument}, "Edit": {fileArgument}, "Write": {fileArgument},
	"Grep": {matchArgument, folderArgument}, "Glob": {matchArgument, folderArgument}, "LS": {folderArgument},
	"Bash":        {{"command", []string{"command", "cmd", "script"}}},
	"PowerShell":  {{"command", []string{"command", "cmd", "script"}}},
	"Agent":       {{"description", []string{"description"}}, {"prompt", []string{"prompt", "task", "objective", "query"}}},
	"apply_patch": {{"command", []string{"command", "input", "patch", "patchText", "patch_text"}}},
	readMany:      {{"paths", []string{"paths", "include", "files"}}},
}

// readMany is the tool that reads several files at once. Its name is what the generic reading of a call goes by.
const readMany = "read_many_files"

// call puts a tool call into Claude Code's words. args may be an object or a string that holds one.
func (t *told) call(names toolNames, name string, args json.RawMessage) {
	input := parse(args)
	text, _ := stringOf(args)
	if input == nil && text != "" {
		input = parse(json.RawMessage(strings.TrimSpace(text)))
	}
	tool, known := names[name]
	if !known {
		tool = mcpName(name)
	}
	if tool == "Edit" && input.text(fileArgument.from...) == "" {
		if patch := patchIn(input, text); patch != "" { // some call the patch tool Edit
			tool, input = "apply_patch", object{}
			input.put("patch", patch)
		}
	}
	t.in["tool_name"] = quoted(tool)
	out := object{}
	for _, a := range arguments[tool] {
		out.take(a.key, input, a.from...)
	}
	if len(arguments[tool]) == 0 {
		out = input
	}
	if raw, err := json.Marshal(out); err == nil && tool != "" {
		t.in["tool_input"] = raw
	}
	if tool == "Bash" || tool == "PowerShell" {
		if code := exitCode(t.in["tool_response"]); code != "" && t.event == "PostToolUse" {
			t.fails("Exit code " + code + "\n" + output(t.in["tool_response"]))
		}
		t.dir = input.text("dir_path", "directory", "working_directory", "workdir", "cwd")
	}
	if tool == "" {
		t.event = ""
	}
}

// exitLine is how Gemini CLI, Qwen Code and Copilot CLI write of a command that failed.
var exitLine = regexp.MustCompile(`(?m)^(?:Exit Code: |<exited with exit code )([1-9][0-9]*)\b`)

// exitCode is that of a command which failed, "" if it did not, or if the result does not tell.
func exitCode(response json.RawMessage) string {
	if o := parse(response); o != nil {
		for _, key := range []string{"exitCode", "exit_code"} {
			if n, err := strconv.Atoi(string(o[key])); err == nil && n != 0 {
				return strconv.Itoa(n)
			}
		}
	}
	text := output(response)
	if m := exitLine.FindStringSubmatch(text[max(0, len(text)-2048):]); m != nil {
		return m[1]
	}
	return ""
}

func patchIn(input object, text string) string {
	for _, s := range []string{text, input.text("input", "patch", "patchText", "command")} {
		if strings.Contains(s, "*** Begin Patch") {
			return s
		}
	}
	return ""
}

// ownTools are those of aOa's MCP server: that they were called is no news.
var ownTools = map[string]bool{"suggest_files": true, "why_file": true, "missing_partners": true, "feedback": true,
	"list_reload_options": true, "reload_cached": true}

// mcpName is the name of an MCP server's tool as Claude Code has it, "" if the tool is none. Gemini writes
// mcp_server_tool, Cursor MCP:tool.
func mcpName(name string) string {
	if rest, ok := strings.CutPrefix(name, "MCP:"); ok {
		if ownTools[rest] {
			return "mcp__aoa__" + rest
		}
		return "mcp__server__" + rest
	}
	if strings.HasPrefix(name, "mcp__") {
		return name
	}
	if rest, ok := strings.CutPrefix(name, "mcp_"); ok {
		server, tool, _ := strings.Cut(rest, "_")
		return "mcp__" + server + "__" + tool
	}
	return ""
}

func quoted(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return raw
}

// fails makes the call one that failed, for the reason that the tool or the agent gave.
func (t *told) fails(problem string) {
	t.event = "PostToolUseFailure"
	t.in.put("error", problem)
}

// folder is where the tool ran: dir may be relative to cwd.
func (t told) folder() string {
	cwd := t.in.text("cwd")
	if t.dir == "" {
		return cwd
	}
	if dir := slash(t.dir); !absolute(dir) {
		return path.Join(slash(cwd), dir)
	}
	return t.dir
}
