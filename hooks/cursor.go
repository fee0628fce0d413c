package hooks

import (
	"encoding/json"
	"strings"
)

// cursorTools are the tools of Cursor, and Claude Code's names where Cursor runs its settings.
var cursorTools = toolNames{"Shell": "Bash", "Bash": "Bash", "Read": "Read", "Write": "Write", "Edit": "Edit", "StrReplace": "Edit", "MultiEdit": "Edit",
	"Grep": "Grep", "Glob": "Glob", "SemanticSearch": "Grep", "LS": "LS", "Task": "Agent", "Agent": "Agent", "apply_patch": "apply_patch"}

var cursorEvents = map[string]string{"sessionStart": "SessionStart", "sessionEnd": "SessionEnd", "beforeSubmitPrompt": "UserPromptSubmit",
	"userPromptSubmit": "UserPromptSubmit", "preToolUse": "PreToolUse", "postToolUse": "PostToolUse", "postToolUseFailure": "PostToolUseFailure", "stop": "Stop"}

// tellCursor reads a payload of Cursor. Events that Cursor runs from Claude Code's settings may bear their names
// there: the first letter decides nothing. What before- and after-events of single tools say, postToolUse says too.
func tellCursor(in object) told {
	name := in.text("hook_event_name")
	event := ""
	if name != "" {
		event = cursorEvents[strings.ToLower(name[:1])+name[1:]]
	}
	t := retold(name, event, in, in.text("conversation_id", "session_id"))
	if t.in.text("cwd") == "" {
		if roots := in.texts("workspace_roots"); len(roots) > 0 {
			t.in.put("cwd", roots[0])
		}
	}
	if t.event == "SessionStart" && in.text("source") == "" {
		t.in.put("source", "startup")
	}
	tool := in.text("tool_name")
	if tool == "" {
		return t
	}
	t.in.take("tool_response", in, "tool_response")
	if text, ok := stringOf(in["tool_output"]); ok {
		t.in["tool_response"] = cursorOutput(text)
	} else {
		t.in.take("tool_response", in, "tool_output")
	}
	if event == "PostToolUseFailure" {
		t.in.put("error", in.problem("error_message", "error", "failure_type"))
		t.in.take("is_interrupt", in, "is_interrupt")
	}
	if tool == "Delete" {
		t.remove(in.object("tool_input").text(fileArgument.from...))
		return t
	}
	t.call(cursorTools, tool, in["tool_input"])
	return t
}

// remove makes the call one that deletes a file, which Claude Code has no tool for.
func (t *told) remove(file string) {
	input := object{}
	input.put("patch", "*** Begin Patch\n*** Delete File: "+strings.ReplaceAll(file, "\n", " ")+"\n*** End Patch")
	if raw, err := json.Marshal(input); err == nil {
		t.call(toolNames{"Delete": "apply_patch"}, "Delete", raw)
	}
}

// cursorOutput is a result that comes as a string of JSON. One that was cut on its way is no JSON any more, but
// still names files.
func cursorOutput(text string) json.RawMessage {
	if raw := json.RawMessage(text); json.Valid(raw) {
		return raw
	}
	return quoted(strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(text))
}
