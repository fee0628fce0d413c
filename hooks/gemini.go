package hooks

// geminiTools are the tools of Gemini CLI, old names included.
var geminiTools = toolNames{"read_file": "Read", "replace": "Edit", "edit": "Edit", "write_file": "Write", "run_shell_command": "Bash",
	"grep_search": "Grep", "search_file_content": "Grep", "glob": "Glob", "list_directory": "LS", readMany: readMany,
	"invoke_agent": "Agent", "delegate_to_agent": "Agent"}

var geminiEvents = map[string]string{"SessionStart": "SessionStart", "SessionEnd": "SessionEnd", "BeforeAgent": "UserPromptSubmit",
	"BeforeTool": "PreToolUse", "AfterTool": "PostToolUse", "AfterAgent": "Stop"}

// tellGemini reads a payload of Gemini CLI. A call that failed is an AfterTool with an error in its response.
func tellGemini(in object) told {
	name := in.text("hook_event_name")
	t := retold(name, geminiEvents[name], in, in.text("session_id"))
	if tool := in.text("tool_name"); tool != "" {
		response := in.object("tool_response")
		if problem := response.problem("error"); problem != "" {
			t.fails(problem)
			t.deaf = name == "AfterTool" // 0.61.0 passes the text on for tools that worked
		}
		t.in.take("tool_response", response, "llmContent", "returnDisplay")
		t.call(geminiTools, tool, in["tool_input"])
	}
	return t
}

// problem is what a field says about a failure: a text, or an object with a message; "" if there was none.
func (o object) problem(keys ...string) string {
	for _, k := range keys {
		if s := o.text(k); s != "" {
			return s
		}
		if e := o.object(k); e != nil {
			if s := e.text("message", "error", "type"); s != "" {
				return s
			}
			return "failed"
		}
	}
	return ""
}
