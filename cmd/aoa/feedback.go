package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

func (a *app) feedback() *cobra.Command {
	var r api.FeedbackRequest
	c := &cobra.Command{
		Use:   "feedback good|bad [FILE]",
		Short: "say whether a suggestion helped",
		Long: `Feedback counts as the outcome of a suggestion: it moves the threshold from which hints
are shown, a little up after bad ones, a little down after good ones.`,
		Args:      cobra.RangeArgs(1, 2),
		ValidArgs: []string{"good", "bad"},
		RunE: func(c *cobra.Command, args []string) error {
			switch args[0] {
			case "good", "bad":
				r.Helpful = args[0] == "good"
			default:
				return usage("say good or bad, not %q", args[0])
			}
			client, repo, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			if len(args) == 2 {
				var p event.Path
				if p, err = a.path(repo, args[1]); err != nil {
					return err
				}
				r.File = p
			}
			ans, err := api.Call(c.Context(), client, api.Feedback, r)
			if err != nil {
				return err
			}
			return a.answer(ans, func() { fmt.Fprintf(a.out, "noted; hints are shown from %.2f on\n", ans.Value) })
		},
	}
	c.Flags().StringVar(&r.Session, "session", "", "the agent session that it was said in")
	return c
}
