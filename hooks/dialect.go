package hooks

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/index"
)

// readMany is a tool that reads several files at once. Tools that read files and have no
// counterpart in Claude Code get its name.
const readMany = "read_many_files"

// argument is an argument of Claude Code's tools, and the keys that other agents use for it.
type argument struct {
	key  string
	from []string
}

var (
	fileArgument = argument{"file_path", []string{"file_path", "filePath", "absolute_path", "path", "target_file",
		"filename", "notebook_path", "AbsolutePath", "TargetFile", "files"}}
	folderArgument = argument{"path", []string{"path", "dir_path", "directory", "dir", "target_directory", "SearchPath",
		"SearchDirectory", "DirectoryPath"}}
	matchArgument = argument{"pattern", []string{"pattern", "query", "regex", "search", "glob_pattern", "glob",
		"search_term", "Query", "Pattern"}}
	commandArgument = argument{"command", []string{"command", "cmd", "script", "CommandLine"}}
)

// toolArguments has the arguments of a call that are read. The rest of the input is dropped, so
// that two deliveries of a call in different dialects are equal.
var toolArguments = map[string][]argument{
	"Read": {fileArgument}, "Edit": {fileArgument}, "Write": {fileArgument},
	"Grep": {matchArgument, folderArgument}, "Glob": {matchArgument, folderArgument}, "LS": {folderArgument},
	"Bash": {commandArgument}, "PowerShell": {commandArgument},
	readMany: {{"paths", []string{"paths", "include", "files"}}},
	"Agent": {{"description", []string{"description"}}, {"prompt",
		[]string{"prompt", "task", "objective", "query", "Prompt"}}},
	"apply_patch": {{"command", []string{"command", "input", "patch", "patchText", "patch_text"}}},
}

// translate rewrites the tool call in Claude Code's terms. input is an object, or a text that
// contains one.
func (p *payload) translate(name string, input any) {
	in, text := parseArguments(input)
	tool, known := tables()[p.agent].values[name]
	if !known {
		tool = mcpName(name)
	}
	if tool == "Edit" && in.text(fileArgument.from...) == "" {
		if patch := patchIn(in, text); patch != "" { // some agents call the patch tool Edit
			tool, in = "apply_patch", members{"patch": patch}
		}
	}
	if tool == "" {
		p.event = ""
		return
	}
	p.tool.Name, p.tool.Input = tool, in
	if keys := toolArguments[tool]; len(keys) > 0 {
		out := members{}
		for _, a := range keys {
			v := in.value(a.from...)
			if list, ok := v.([]any); ok && a.key == fileArgument.key && len(list) > 0 {
				v = list[0]
			}
			if v != nil {
				out[a.key] = v
			}
		}
		p.tool.Input = out
	}
	if tool == "Bash" || tool == "PowerShell" {
		if code := exitCode(p.agent, p.tool.Response); code != "" && code != "0" && p.event == "PostToolUse" {
			p.event, p.tool.Problem = "PostToolUseFailure", "Exit code "+code+"\n"+output(p.tool.Response)
		}
		p.toolDir = in.text("dir_path", "directory", "working_directory", "workdir", "cwd", "Cwd")
	}
}

// readCall reads the tool call from a payload, whichever members have it.
func (p *payload) readCall() {
	raw := p.raw
	p.tool = raw.toolCall()
	p.tool.ID = raw.text("tool_use_id", "tool_call_id")
	call := raw.object("toolCall")
	name := cmp.Or(raw.text("tool_name", "toolName"), call.text("name"))
	if tables()[p.agent] == nil || name == "" {
		return
	}
	p.tool.Problem = cmp.Or(problemText(raw["error_message"]), problemText(raw["error"]), problemText(raw["failure_type"]))
	p.readResult()
	if p.tool.Problem != "" && p.event == "PostToolUse" {
		p.event = "PostToolUseFailure"
	}
	input := raw.value("toolArgs", "tool_input")
	if args := call.object("args"); len(args) > 0 {
		for key, v := range args { // some versions of Antigravity CLI encode the arguments as JSON twice
			if text, ok := v.(string); ok {
				args[key] = unquoted(text)
			}
		}
		input = map[string]any(args)
	}
	in, _ := parseArguments(input)
	switch {
	// a single tool with several commands
	case p.agent == "copilot" && (name == "str_replace_editor" || name == "Edit"):
		if command := in.text("command"); command == "view" || command == "create" {
			name = command
		}
	case p.agent == "cursor" && name == "Delete": // Claude Code has no such tool, but patches delete files
		file := strings.ReplaceAll(in.text(fileArgument.from...), "\n", " ")
		input = map[string]any{"patch": "*** Begin Patch\n*** Delete File: " + file + "\n*** End Patch"}
	}
	p.translate(name, input)
}

// readResult reads the result of a call. Gemini CLI and Qwen Code send an object with what the
// model gets or an error, Copilot CLI one with a kind, Cursor a text that is JSON.
func (p *payload) readResult() {
	raw := p.raw
	if response := raw.object("tool_response"); response != nil {
		if problem := problemText(response["error"]); problem != "" && p.event == "PostToolUse" {
			p.tool.Problem = problem
			p.dropped = p.name == "AfterTool" // version 0.61.0 passes text on only for tools that worked
		}
		p.tool.Response = cmp.Or(response.value("llmContent", "returnDisplay"), raw["tool_response"])
	}
	if result := objectOf(raw.value("toolResult", "tool_result")); result != nil {
		text := result.text("textResultForLlm", "text_result_for_llm")
		p.tool.Response = result.value("textResultForLlm", "text_result_for_llm")
		// failure, rejected or denied
		if kind := result.text("resultType", "result_type"); kind != "" && kind != "success" {
			p.tool.Problem = cmp.Or(p.tool.Problem, kind+": "+text)
		}
	}
	if text, ok := raw["tool_output"].(string); ok {
		p.tool.Response = cursorOutput(text)
	} else if raw["tool_output"] != nil {
		p.tool.Response = raw["tool_output"]
	}
}

// cursorOutput decodes a result that is JSON inside of a string. If it was cut on its way it is no
// longer JSON, but still names files.
func cursorOutput(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) == nil {
		return v
	}
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(text)
}

// timeOf parses milliseconds since 1970, or a date, because agents use one or the other. A call
// that is delivered in both forms gets the same id from it.
func timeOf(v any) time.Time {
	switch v := v.(type) {
	case float64:
		if v >= 1 && v < 1<<53 {
			return time.UnixMilli(int64(v)).UTC()
		}
	case string:
		if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// unquoted removes the quotes that opencode run puts around a prompt of several words.
func unquoted(prompt string) string {
	text := strings.TrimSpace(prompt)
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return prompt
	}
	if inner := text[1 : len(text)-1]; !strings.Contains(strings.ReplaceAll(inner, `\"`, ""), `"`) {
		return strings.ReplaceAll(inner, `\"`, `"`)
	}
	return prompt
}

// exitLine matches the line in which Gemini CLI, Qwen Code and Copilot CLI report how a command
// ended, after the output of the command itself.
var exitLine = index.LazyRegexp(
	`(?m)^(?:Exit Code: |<exited with exit code |<shellId: \S+ completed with exit code )([0-9]+)\b`)

// exitCode returns the exit code of a command, "" if the result of the agent's call does not have
// it.
func exitCode(agent string, response any) string {
	if o, ok := response.(map[string]any); ok {
		for _, key := range []string{"exitCode", "exit_code"} {
			if n, ok := o[key].(float64); ok {
				return strconv.Itoa(int(n))
			}
		}
	}
	if agent != "gemini" && agent != "qwen" && agent != "copilot" {
		return "" // such a line would have been printed by the command itself
	}
	text := output(response)
	all := exitLine().FindAllStringSubmatch(text[max(0, len(text)-2048):], -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

func patchIn(in members, text string) string {
	for _, s := range []string{text, in.text("input", "patch", "patchText", "command")} {
		if strings.Contains(s, "*** Begin Patch") {
			return s
		}
	}
	return ""
}

// mcpName returns the name that Claude Code would give to an MCP server's tool, "" if it is another
// tool. Gemini writes mcp_server_tool, Cursor MCP:tool.
func mcpName(name string) string {
	if rest, ok := strings.CutPrefix(name, "MCP:"); ok {
		if slices.Contains(agents.OwnTools, rest) {
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
