package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
)

func (a *app) feedback() *cobra.Command {
	var r api.FeedbackRequest
	c := newCommand("feedback good|bad [FILE]", "report whether a suggestion helped", cobra.RangeArgs(1, 2), nil)
	c.ValidArgs = []string{"good", "bad"}
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if args[0] != "good" && args[0] != "bad" {
			return usage("write good or bad, not %q", args[0])
		}
		r.Helpful = args[0] == "good"
		if len(args) > 1 {
			if r.File, err = a.file(c.Context(), args[1], true); err != nil {
				return err
			}
		}
		return show(c.Context(), a, api.Feedback, r, func(ans api.ThresholdAnswer) {
			fmt.Fprintf(a.out, "recorded; hints are now shown if their probability is at least %.2f\n", ans.Value)
		})
	}
	a.sessionFlag(c, &r.Session, "the agent session that got the suggestion")
	return c
}
