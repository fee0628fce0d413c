package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/stage"
)

func (a *app) stage() *cobra.Command {
	c := &cobra.Command{
		Use:   "stage",
		Short: "run a command only when its inputs changed",
		Long: `Runs a command, and keeps what it prints and the files that it makes. If nothing that it
depends on has changed, the next run prints and restores these instead.

A command depends on its words, its folder, --input, --env, the content and executable bit
of --dep files, --template, the version that --tool prints, and --model. Times of files do
not count. aoa stage why says what changed.`,
	}
	c.AddCommand(a.stageRun(), a.stageWhy(), a.stageList(), a.stageRemove())
	return c
}

func (a *app) stageWhy() *cobra.Command {
	return &cobra.Command{
		Use:   "why NAME",
		Short: "whether a dependency or the template of a stage's newest result has changed on the disk",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return show(c.Context(), a, api.StageWhy, stage.Request{Stage: args[0]},
				func(ans stage.Why) { a.reason(args[0], ans) })
		},
	}
}

func (a *app) reason(name string, r stage.Why) {
	for _, g := range r.Idle {
		a.talk("stage %s: %s matches no file: a glob names tracked and new files, not ignored ones", name, g)
	}
	if r.Hit {
		fmt.Fprintf(a.out, "hit %s\n", r.Key)
		return
	}
	fmt.Fprintf(a.out, "miss: %s\n", harmless(r.Miss))
	for _, c := range r.Changes[min(1, len(r.Changes)):] { // the first change is in Miss
		fmt.Fprintf(a.out, "      %s\n", harmless(c.String()))
	}
	if more := r.Total - len(r.Changes); more > 0 {
		fmt.Fprintf(a.out, "      and %d more\n", more)
	}
}

func (a *app) stageList() *cobra.Command {
	var r api.StageListRequest
	c := &cobra.Command{
		Use:   "list [NAME]",
		Short: "the kept results, the newest first",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r.Stage = strings.Join(args, "")
			return show(c.Context(), a, api.StageList, r, func(ans api.StageListAnswer) {
				if len(ans.Entries) == 0 {
					a.talk("no result is kept; begin with: aoa stage run NAME --dep GLOB -- COMMAND")
					return
				}
				printList(a, "key\tstage\tmade\ttook\thits\tsize\tcommand", ans.Entries, func(e stage.Entry) []any {
					return []any{e.Key, e.Stage, stamp(e.Created), millis(e.Duration), e.Hits, size(e.Bytes),
						clip(e.Command, 60)}
				})
			})
		},
	}
	r.Limit = 100
	c.Flags().VarP((*number)(&r.Limit), "number", "n", "largest number of results")
	return c
}

func (a *app) stageRemove() *cobra.Command {
	return oneOrAll("rm [NAME|KEY]", "delete the kept results of a stage, one result, or all", "a stage or a key",
		"the results of all stages", func(ctx context.Context, name string, all bool) error {
			return show(ctx, a, api.StageDrop, api.StageDropRequest{Name: name, All: all}, func(ans api.StageDropAnswer) {
				fmt.Fprintf(a.out, "deleted %d\n", ans.Dropped)
			})
		})
}
