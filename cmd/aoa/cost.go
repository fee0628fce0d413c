package main

import (
	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
)

func (a *app) cost() *cobra.Command {
	r := api.StatsRequest{Table: "costs"}
	c := &cobra.Command{
		Use:   "cost",
		Short: "what the hints of each session cost in tokens",
		Long: `A hint stays in the conversation, so every later request to the model contains it. "carried" is the
number of tokens times the number of requests. Tokens are estimated at four bytes each. The setting
tokens.session limits the tokens of a session.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return show(c, a, api.Stats, r, func(ans api.StatsAnswer) {
				if len(ans.Costs) == 0 {
					a.talk("no hint was shown yet")
					return
				}
				printList(a, "hints\ttokens\trequests\tcarried\tsession", ans.Costs, func(k api.CostRow) []any {
					return []any{k.Hints, count(k.Tokens), k.Turns, count(k.Carried), k.Session}
				})
			})
		},
	}
	c.Flags().IntVarP(&r.Limit, "number", "n", 20, "number of sessions, the most expensive first")
	return c
}
