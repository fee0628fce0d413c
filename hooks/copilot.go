package hooks

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// copilotTools are the tools of Copilot CLI, and Claude Code's names, which its other dialect uses.
var copilotTools = toolNames{"bash": "Bash", "powershell": "PowerShell", "view": "Read", "create": "Write", "edit": "Edit", "str_replace_editor": "Edit",
	"str_replace": "Edit", "apply_patch": "apply_patch", "grep": "Grep", "rg": "Grep", "glob": "Glob", "task": "Agent",
	"Bash": "Bash", "PowerShell": "PowerShell", "Read": "Read", "Write": "Write", "Edit": "Edit", "Grep": "Grep", "Glob": "Glob", "Agent": "Agent", "Task": "Agent"}

var copilotEvents = map[string]string{"sessionStart": "SessionStart", "sessionEnd": "SessionEnd", "userPromptSubmitted": "UserPromptSubmit",
	"preToolUse": "PreToolUse", "postToolUse": "PostToolUse", "postToolUseFailure": "PostToolUseFailure"}

// tellCopilot reads a payload of Copilot CLI in either of its dialects: events spelled like postToolUse come with
// keys like toolName and without their name, events spelled like PostToolUse with keys like tool_name.
func tellCopilot(in object) told {
	name := in.text("hook_event_name", "hookEventName")
	if name == "" {
		name = copilotEvent(in)
	}
	event := copilotEvents[name]
	if event == "" {
		event = name
	}
	t := retold(name, event, in, in.text("sessionId", "session_id"))
	t.at = copilotTime(in["timestamp"])
	if in.text("source") == "new" {
		t.in.put("source", "startup")
	}
	tool := in.text("toolName", "tool_name")
	if tool == "" {
		return t
	}
	result := in.object("toolResult")
	if result == nil {
		result = in.object("tool_result")
	}
	t.in.take("tool_response", result, "textResultForLlm", "text_result_for_llm")
	switch kind := result.text("resultType", "result_type"); kind {
	case "", "success":
	default: // failure, rejected, denied
		t.fails(kind + ": " + result.text("textResultForLlm", "text_result_for_llm"))
	}
	if event == "PostToolUseFailure" {
		t.fails(in.problem("error"))
	}
	args := in["toolArgs"]
	if args == nil {
		args = in["tool_input"]
	}
	if tool == "str_replace_editor" || tool == "Edit" { // one tool with commands
		switch parse(args).text("command") {
		case "view":
			tool = "view"
		case "create":
			tool = "create"
		}
	}
	t.call(copilotTools, tool, args)
	return t
}

// copilotEvent tells an event by the keys that only it has.
func copilotEvent(in object) string {
	has := func(key string) bool { _, ok := in[key]; return ok }
	switch {
	case has("toolName") && has("toolResult"):
		return "postToolUse"
	case has("toolName") && has("error"):
		return "postToolUseFailure"
	case has("toolName"):
		return "preToolUse"
	case has("transformedPrompt"):
		return "userPromptTransformed"
	case has("prompt"):
		return "userPromptSubmitted"
	case has("source"):
		return "sessionStart"
	case has("reason"):
		return "sessionEnd"
	}
	return ""
}

// copilotTime reads milliseconds since 1970, or a date. The two dialects tell the same moment so: a call that both
// tell gets the same id from it.
func copilotTime(raw json.RawMessage) time.Time {
	if ms, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64); err == nil && ms > 0 {
		return time.UnixMilli(ms).UTC()
	}
	if s, ok := stringOf(raw); ok {
		if at, err := time.Parse(time.RFC3339Nano, s); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}
