package hooks

import "strings"

// openCodeTools are the tools of OpenCode 1 and 2.
var openCodeTools = toolNames{"read": "Read", "edit": "Edit", "multiedit": "Edit", "write": "Write", "patch": "apply_patch", "apply_patch": "apply_patch",
	"bash": "Bash", "shell": "Bash", "grep": "Grep", "glob": "Glob", "list": "LS", "ls": "LS", "task": "Agent"}

// tellOpenCode reads what our plugin sends: Claude Code's keys with OpenCode's tools. An MCP server's tools bear
// names without a mark there, so they tell nothing.
func tellOpenCode(in object) told {
	name := in.text("hook_event_name")
	t := retold(name, name, in, in.text("session_id"))
	if prompt := unquoted(in.text("prompt")); name == "UserPromptSubmit" && prompt != "" {
		t.in.put("prompt", prompt)
	}
	if tool := in.text("tool_name"); tool != "" {
		t.in.take("tool_response", in, "tool_response")
		if problem := in.problem("error"); problem != "" {
			t.fails(problem)
		}
		t.call(openCodeTools, tool, in["tool_input"])
	}
	return t
}

// unquoted takes off the quotes that opencode run puts around a prompt of several words.
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
