package hooks

// caller says which agent really runs a hook that was entered for Claude Code. Copilot and Cursor run Claude
// Code's settings files too, with payloads of their own, and want answers in their own form. What the payload says
// counts first; the environment may have come from a terminal inside another agent.
func caller(agent string, in object, env map[string]string) string {
	if agent != "claude" {
		return agent
	}
	switch {
	case in.text("cursor_version") != "":
		return "cursor"
	case in.object("tool_result").text("result_type") != "", in.text("sessionId", "toolName") != "":
		return "copilot"
	case in.text("prompt_id") != "", env["CLAUDECODE"] != "":
		return agent
	case env["CURSOR_VERSION"] != "":
		return "cursor"
	case in.text("transcript_path") == "" && (in.text("timestamp") != "" || env["COPILOT_CLI"] != ""):
		return "copilot" // Claude Code always names its transcript and never the time
	}
	return agent
}

// translators put payloads into Claude Code's words.
var translators = map[string]func(object) told{
	"claude":   tellClaude,
	"codex":    tellClaude, // nearly the same
	"gemini":   tellGemini,
	"cursor":   tellCursor,
	"copilot":  tellCopilot,
	"qwen":     tellQwen,
	"opencode": tellOpenCode,
}

func tellClaude(in object) told {
	event := in.text("hook_event_name")
	return told{name: event, event: event, in: in}
}
