package main

import (
	"github.com/spf13/cobra"
)

// hook exists only for the help. main passes `aoa hook` to package hooks/client.
func (a *app) hook() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT [ARG…]",
		Short: "send one event to the daemon (hooks call this)",
		Run:   func(*cobra.Command, []string) {},
	}
}
