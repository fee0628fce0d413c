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
	return family("stage", "run a command only when its inputs changed",
		a.stageRun(), a.stageWhy(), a.stageList(), a.stageRemove())
}

func (a *app) stageWhy() *cobra.Command {
	return newCommand("why NAME",
		"whether a dependency or the template of a stage's newest result has changed on the disk", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			return show(ctx, a, api.StageWhy, stage.Request{Stage: args[0]},
				func(ans stage.Why) { a.reason(args[0], ans) })
		})
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
	c := newCommand("list [NAME]", "the kept results, the newest first", cobra.MaximumNArgs(1),
		func(ctx context.Context, args []string) error {
			r.Stage = strings.Join(args, "")
			return show(ctx, a, api.StageList, r, func(ans api.StageListAnswer) {
				if len(ans.Entries) == 0 {
					a.talk("no result is kept; begin with: aoa stage run NAME --dep GLOB -- COMMAND")
					return
				}
				printList(a, "key\tstage\tmade\ttook\thits\tsize\tcommand", ans.Entries, func(e stage.Entry) []any {
					return []any{e.Key, e.Stage, stamp(e.Created), millis(e.Duration), e.Hits, size(e.Bytes),
						clip(e.Command, 60)}
				})
			})
		})
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
