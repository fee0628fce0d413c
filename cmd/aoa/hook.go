package main

import "github.com/spf13/cobra"

// hook is here for the help only: hooks/client answers `aoa hook` before main begins.
func (a *app) hook() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT [ARG…]",
		Short: "called by hooks: carry one event to the daemon",
		Long: `Reads one JSON value from stdin, hands it to the daemon and prints the daemon's answer, one JSON
object or nothing. AGENT is claude, codex, gemini, cursor, copilot, qwen, opencode or git (then ARG is
the hook's name, and for copilot the event's). aoa hooks install enters it where it belongs.

It always exits 0, waits at most 50 ms for an answer (150 ms at a prompt, 400 ms at the start of a
session), and is silent when in doubt. AOA=0 in the environment switches it off.`,
		Run: func(*cobra.Command, []string) {},
	}
}
