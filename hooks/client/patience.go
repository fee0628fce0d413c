package client

import (
	"os"
	"strconv"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
)

// Factor returns the value of AOA_PATIENCE, 1 to 100, by which every wait for the payload and for
// an answer is multiplied. It is for slow machines, and for tests on busy ones. Any other value
// counts as 1.
func Factor() int64 {
	n, err := strconv.ParseInt(os.Getenv("AOA_PATIENCE"), 10, 64)
	if err != nil || n < 1 || n > 100 {
		return 1
	}
	return n
}

// Patience returns how long to wait for an answer to the event, 0 for not at all. starts means that
// this includes starting the daemon. For events that are only learned from, the client does not
// wait.
func Patience(agent, event string) (wait time.Duration, starts bool) {
	e := agents.EventOf(agent, event)
	if !e.Awaited() {
		return 0, false
	}
	return e.Deadline()
}

// runner returns the agent that runs a hook that was installed for Claude Code, because Cursor and
// Copilot also run its settings. It looks only at the environment; the daemon also looks at the
// payload.
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
