package client

import (
	"os"

	"github.com/aoa-dev/aoa/hooks/agents"
)

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

// Patience is how long an answer to the event is awaited, in milliseconds, 0 if none is; starts says that the wait includes starting the daemon. Events
// that only teach are written and left.
func Patience(agent, event string) (wait int64, starts bool) {
	e := agents.EventOf(agent, event)
	if !e.Awaited() {
		return 0, false
	}
	return e.Deadline()
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
