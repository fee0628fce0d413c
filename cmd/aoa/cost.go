package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
)

func (a *app) cost() *cobra.Command {
	r := api.StatsRequest{Table: "costs"}
	c := &cobra.Command{
		Use:   "cost",
		Short: "what the hints of each session cost in tokens",
		Long: `A hint stays in the conversation, so every later request to the model carries it: "carried" is
tokens times requests. Tokens are estimated, four bytes each. The allowance per session is the
setting tokens.session.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Call(c.Context(), client, api.Stats, r)
			if err != nil {
				return err
			}
			return a.answer(ans, func() {
				if len(ans.Costs) == 0 {
					a.talk("no hint was told yet")
					return
				}
				rows := []string{"hints\ttokens\trequests\tcarried\tsession"}
				for _, k := range ans.Costs {
					rows = append(rows, fmt.Sprintf("%d\t%s\t%d\t%s\t%s", k.Hints, count(int64(k.Tokens)), k.Turns, count(int64(k.Carried)), k.Session))
				}
				a.table(rows...)
			})
		},
	}
	c.Flags().IntVarP(&r.Limit, "number", "n", 20, "how many sessions, the dearest first")
	return c
}
