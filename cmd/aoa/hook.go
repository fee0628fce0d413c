package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// hook exists only for the help. main passes `aoa hook` to package hooks/client.
func (a *app) hook() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT [ARG…]",
		Short: "send one event to the daemon (hooks call this)",
		Long: `Reads one JSON value from stdin, sends it to the daemon, and prints the daemon's answer: one JSON
object or nothing. AGENT is one of ` + strings.Join(hookNames(), ", ") + `.
For git, ARG is the name of the hook; for copilot and antigravity, of the event. The program
aoa-hook does the same and starts faster. aoa hooks install adds both to the settings of agents: aoa hook
runs where aoa-hook is missing.

It always exits 0. It waits at most 50 ms for an answer (150 ms at a prompt, 400 ms at the start of a
session). In case of doubt it prints nothing. AOA=0 in the environment turns it off.`,
		Run: func(*cobra.Command, []string) {},
	}
}
