package hooks

// qwenTools are the tools of Qwen Code, which descends from Gemini CLI.
var qwenTools = toolNames{"read_file": "Read", "edit": "Edit", "replace": "Edit", "write_file": "Write", "run_shell_command": "Bash",
	"grep_search": "Grep", "search_file_content": "Grep", "glob": "Glob", "list_directory": "LS", readMany: readMany,
	"agent": "Agent", "task": "Agent", "notebook_edit": "Edit"}

// tellQwen reads a payload of Qwen Code: Claude Code's events and keys, Gemini CLI's tools. What the user submitted
// stands beside the prompt that the model gets; without it the turn is one that the machine continues, except in
// versions that do not know the key.
func tellQwen(in object) told {
	name := in.text("hook_event_name")
	t := retold(name, name, in, in.text("session_id"))
	if _, tells := in["submitted_prompt"]; tells && name == "UserPromptSubmit" {
		if t.in.take("prompt", in, "submitted_prompt"); in.text("submitted_prompt") == "" {
			t.event = ""
		}
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
