package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
)

func (a *app) pause() *cobra.Command {
	return newCommand("pause DURATION|off", "stop learning and showing hints for a while", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			var r api.PauseRequest
			if args[0] != "off" {
				d, err := config.ParseDuration(args[0])
				if err != nil || d <= 0 {
					return usage("%q is not a duration; write 30m, 1h, 2d or off", args[0])
				}
				r.Seconds = d.Seconds()
			}
			return show(ctx, a, api.Pause, r, func(ans api.PauseAnswer) {
				if ans.Until.IsZero() {
					fmt.Fprintln(a.out, "not paused")
					return
				}
				fmt.Fprintf(a.out, "paused until %s\n", stamp(ans.Until))
			})
		})
}
