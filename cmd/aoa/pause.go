package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
)

func (a *app) pause() *cobra.Command {
	return &cobra.Command{
		Use:   "pause DURATION|off",
		Short: "stop learning and showing hints for a while",
		Long: `Nothing is learned and no hint is shown until the time is over: 30m, 1h, 2d.
To pause one command or one agent session only, set AOA=0 in its environment.`,
		Example: "  AOA=0 claude    # this session only",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var r api.PauseRequest
			if args[0] != "off" {
				d, err := config.ParseDuration(args[0])
				if err != nil || d <= 0 {
					return usage("%q is not a duration; write 30m, 1h, 2d or off", args[0])
				}
				r.Seconds = d.Seconds()
			}
			return show(c.Context(), a, api.Pause, r, func(ans api.PauseAnswer) {
				if ans.Until.IsZero() {
					fmt.Fprintln(a.out, "not paused")
					return
				}
				fmt.Fprintf(a.out, "paused until %s\n", stamp(ans.Until))
			})
		},
	}
}
