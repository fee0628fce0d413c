package client

import (
	"os"
	"strconv"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
)

// Factor returns the value of AOA_PATIENCE, 1 to 100: the factor by which every wait for an answer
// is longer, for slow machines and for tests on busy ones. Any other value counts as 1.
func Factor() int64 {
	n, err := strconv.ParseInt(os.Getenv("AOA_PATIENCE"), 10, 64)
	if err != nil || n < 1 || n > 100 {
		return 1
	}
	return n
}

// Patience is how long an answer to the event is awaited, 0 if none is; starts says that the wait
// includes starting the daemon. Events that only teach are sent and left.
func Patience(agent, event string) (wait time.Duration, starts bool) {
	e := agents.EventOf(agent, event)
	if !e.Awaited() {
		return 0, false
	}
	return e.Deadline()
}

// runner is the agent that runs a hook that was entered for Claude Code: Cursor and Copilot run its
// settings too. Only the environment is asked here; the daemon also knows the payloads.
func runner(agent string) string {
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
