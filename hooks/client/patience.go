package client

import "os"

// Factor is the value of AOA_PATIENCE, 1 to 100: every wait for an answer is so many times longer than written here, for
// slow machines and for tests on busy ones. Anything else is 1.
func Factor() int64 {
	n := int64(0)
	for _, c := range os.Getenv("AOA_PATIENCE") {
		if n = 10*n + int64(c-'0'); c < '0' || c > '9' || n > 100 {
			return 1
		}
	}
	return max(n, 1)
}

// Patience is how long an answer to the event is awaited, in milliseconds, 0 if none is; starts says that the wait
// includes starting the daemon. Events that only teach are written and left. It repeats what package hooks knows of
// the agents (which events carry text, and which we enter to be waited for), since this program cannot afford to
// import it; a test over there holds the two together.
func Patience(agent, event string) (wait int64, starts bool) {
	if !awaited(agent, event) {
		return 0, false
	}
	switch event {
	case "SessionStart", "sessionStart":
		return startWait, true
	case "UserPromptSubmit", "BeforeAgent":
		return promptWait, true
	}
	return hintWait, false
}

// awaited reports whether the agent passes on what the hook prints at the event.
func awaited(agent, event string) bool {
	switch event {
	case "SessionStart":
		return agent != "opencode"
	case "UserPromptSubmit":
		return agent == "claude" || agent == "codex" || agent == "qwen"
	case "PreToolUse":
		return agent == "claude" || agent == "codex" // Qwen Code drops its text
	case "PostToolUse":
		// Claude Code runs it asynchronously, Codex drops its text.
		return agent == "qwen" || agent == "cursor" || agent == "copilot" || agent == "opencode"
	case "PostToolUseFailure":
		return agent == "qwen"
	case "PostToolBatch", "Stop":
		return agent == "claude"
	case "BeforeAgent", "AfterTool":
		return agent == "gemini"
	case "sessionStart", "postToolUse":
		return agent == "cursor" || agent == "copilot"
	}
	return false
}

// speaker is the agent that runs a hook that was entered for Claude Code: Cursor and Copilot run its settings too.
// Only the environment is asked here; the daemon also knows the payloads.
func speaker(agent string) string {
	if agent == "claude" && os.Getenv("CLAUDECODE") == "" {
		if os.Getenv("CURSOR_VERSION") != "" {
			return "cursor"
		}
		if os.Getenv("COPILOT_CLI") != "" {
			return "copilot"
		}
	}
	return agent
}
