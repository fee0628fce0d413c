package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
)

func (a *app) pause() *cobra.Command {
	return &cobra.Command{
		Use:   "pause DURATION|off",
		Short: "neither learn nor speak for a while",
		Long: `Nothing is learned and no hint is given until the time is over: 30m, 1h, 2d. For one
command or one agent session the environment does the same: AOA=0 claude`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var r api.PauseRequest
			if args[0] != "off" {
				d, err := span(args[0])
				if err != nil || d <= 0 {
					return usage("%q is no duration; write 30m, 1h, 2d or off", args[0])
				}
				r.Seconds = d.Seconds()
			}
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Call(c.Context(), client, api.Pause, r)
			if err != nil {
				return err
			}
			return a.answer(ans, func() {
				if ans.Until.IsZero() {
					fmt.Fprintln(a.out, "not paused")
					return
				}
				fmt.Fprintf(a.out, "paused until %s\n", stamp(ans.Until))
			})
		},
	}
}
