package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

func (a *app) forget() *cobra.Command {
	var session, since string
	c := &cobra.Command{
		Use:   "forget [PATH]",
		Short: "erase what was learned about a path, a session or a time",
		Long: `Erases events and scores, cached data, replays, what sessions and pipelines left, and results of
stages that read the PATH, down to the bytes on the disk. A PATH may be a folder. To keep a path
from being learned again, list it in .aoaignore.`,
		Example: "  aoa forget secrets/\n  aoa forget --session 5f0c2d1e\n  aoa forget --since 2h",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r := api.ForgetRequest{Session: session}
			var err error
			if r.Since, err = a.when(since); err != nil {
				return err
			}
			if len(args) == 0 && session == "" && since == "" {
				return usage("name a path, --session or --since")
			}
			client, repo, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				var p event.Path
				if p, err = a.path(repo, args[0]); err != nil {
					return err
				}
				r.File = p
			}
			ans, err := api.Call(c.Context(), client, api.Forget, r)
			if err != nil {
				return err
			}
			return a.answer(ans, func() {
				fmt.Fprintf(a.out, "forgot %s events about %s files", count(int64(ans.Events)), count(int64(ans.Files)))
				if ans.Commits > 0 {
					fmt.Fprintf(a.out, ", and their share in %s commits", count(int64(ans.Commits)))
				}
				if ans.Results > 0 {
					fmt.Fprintf(a.out, ", and %s results of stages", count(int64(ans.Results)))
				}
				fmt.Fprintln(a.out)
			})
		},
	}
	c.Flags().StringVar(&session, "session", "", "everything of this session")
	c.Flags().StringVar(&since, "since", "", "everything since this time (2h, 7d, 2026-01-31)")
	return c
}
