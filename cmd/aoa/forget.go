package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
)

func (a *app) forget() *cobra.Command {
	var since string
	var r api.ForgetRequest
	c := &cobra.Command{
		Use:   "forget [PATH]",
		Short: "erase what was learned about a path, a session or a time",
		Long: `Erases events, scores, cached data, recorded sequences, session snapshots, what pipelines stored, and
results of stages that read the PATH. The bytes on the disk are erased too. A PATH may be a folder. To
keep aOa from learning a path again, list it in .aoaignore.`,
		Example: "  aoa forget secrets/\n  aoa forget --session 5f0c2d1e\n  aoa forget --since 2h",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if r.Since, err = a.when(since); err != nil {
				return err
			}
			if len(args) == 0 && r.Session == "" && since == "" {
				return usage("name a path, --session or --since")
			}
			client, files, err := a.clientAnd(c.Context(), args)
			if err != nil {
				return err
			}
			if len(files) > 0 {
				r.File = files[0]
			}
			return showFrom(c.Context(), a, client, api.Forget, r, func(ans api.ForgetAnswer) {
				fmt.Fprintf(a.out, "forgot %s events about %s files", count(ans.Events), count(ans.Files))
				if ans.Commits > 0 {
					fmt.Fprintf(a.out, ", and their share in %s commits", count(ans.Commits))
				}
				if ans.Results > 0 {
					fmt.Fprintf(a.out, ", and %s results of stages", count(ans.Results))
				}
				fmt.Fprintln(a.out)
			})
		},
	}
	c.Flags().StringVar(&r.Session, "session", "", "everything of this session")
	c.Flags().StringVar(&since, "since", "", "everything since this time (2h, 7d, 2026-01-31)")
	return c
}
