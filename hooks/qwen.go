package hooks

import "strings"

// qwenTools are the tools of Qwen Code, which descends from Gemini CLI.
var qwenTools = toolNames{"read_file": "Read", "edit": "Edit", "replace": "Edit", "write_file": "Write", "run_shell_command": "Bash",
	"grep_search": "Grep", "search_file_content": "Grep", "glob": "Glob", "list_directory": "LS", readMany: readMany,
	"agent": "Agent", "task": "Agent", "notebook_edit": "Edit"}

// tellQwen reads a payload of Qwen Code: Claude Code's events and keys, Gemini CLI's tools. A prompt event that does
// not hold what the user submitted is a continuation by the machine.
func tellQwen(in object) told {
	name := in.text("hook_event_name")
	t := retold(name, name, in, in.text("session_id"))
	if _, tells := in["submitted_prompt"]; tells && name == "UserPromptSubmit" {
		user := in.text("submitted_prompt")
		if user == "" || !strings.Contains(in.text("prompt"), user) {
			t.event = ""
		}
		t.in.put("prompt", user)
	}
	if tool := in.text("tool_name"); tool != "" {
		t.in.take("tool_response", in, "tool_response")
		if response := in.object("tool_response"); response != nil {
			if problem := response.problem("error"); problem != "" && name == "PostToolUse" {
				t.fails(problem)
			}
			t.in.take("tool_response", response, "llmContent", "returnDisplay")
		}
		if name == "PostToolUseFailure" || name == "PermissionDenied" {
			t.in.put("error", in.problem("error"))
			t.in.put("reason", in.problem("reason"))
		}
		t.in.take("is_interrupt", in, "is_interrupt")
		t.call(qwenTools, tool, in["tool_input"])
	}
	return t
}
