package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/reload"
)

func (a *app) reload() *cobra.Command {
	return family("reload", "find and repeat what agents did for earlier prompts",
		a.reloadList(), a.reloadShow(), a.reloadRun(), a.reloadUndo(), a.reloadForget())
}

func (a *app) reloadList() *cobra.Command {
	var r api.SequencesRequest
	c := newCommand("list", "the recorded sequences, the last used first; with --for, those that match a prompt",
		cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			r.All = r.Prompt == ""
			return show(ctx, a, api.ReloadList, r,
				func(ans api.SequencesAnswer) { a.sequenceTable(ans.Sequences, !r.All) })
		})
	c.Flags().Var((*given)(&r.Prompt), "for", "only sequences that match this prompt, the best first")
	r.Limit = 20
	c.Flags().VarP((*number)(&r.Limit), "number", "n", "largest number of sequences")
	return c
}

func (a *app) sequenceTable(all []reload.Match, matched bool) {
	if len(all) == 0 {
		if matched {
			a.talk("no recorded sequence matches")
			a.talk("hint: aoa reload list shows all of them")
			return
		}
		a.talk("no sequence is recorded")
		a.talk("hint: aoa hooks install claude; a sequence is recorded when a turn ended well")
		return
	}
	if matched {
		printList(a, "id\tmatch\tuses\twhat it did\twhy", all, func(s reload.Match) []any {
			return []any{s.ID, fmt.Sprintf("%.0f%%", 100*s.Similarity), s.Uses, s.Summary, s.Reason}
		})
		return
	}
	printList(a, "id\tuses\tok\tfailed\tlast used\twhat it did\tprompt", all, func(s reload.Match) []any {
		return []any{s.ID, s.Uses, s.Successes, s.Failures, stamp(s.Used), s.Summary, a.brief(asked(s), 60)}
	})
}

// asked returns the prompt as the person typed it.
func asked(s reload.Match) string {
	if s.Type == reload.Command {
		return "/" + s.Target + " " + s.Text
	}
	return s.Text
}

func (a *app) reloadShow() *cobra.Command {
	return newCommand("show ID", "the actions, files and outcome of a sequence", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			if args[0] == "" { // the daemon would list all of them
				return usage("the id is empty")
			}
			ans, err := call(ctx, a, api.ReloadList, api.SequencesRequest{ID: args[0]})
			if err != nil {
				return err
			}
			return a.answer(ans.Sequences[0], func() { a.printSequence(ans.Sequences[0]) })
		})
}

func (a *app) printSequence(s reload.Match) {
	a.table("",
		cells("id", s.ID),
		cells("prompt", strings.Join(strings.Fields(asked(s)), " ")),
		cells("did", s.Summary),
		cells("tests", cmp.Or(s.Tests, "none")),
		cells("used", fmt.Sprintf("%s, %d succeeded, %d failed; last %s", plural(s.Uses, "time"), s.Successes, s.Failures,
			stamp(s.Used))),
		cells("from", fmt.Sprintf("%s, session %s, %s", s.Agent, s.Session, stamp(s.Created))),
	)
	fmt.Fprintln(a.out)
	for _, st := range s.Steps() {
		printLines(a.out, fmt.Sprintf("%3d  %s  %s%s", st.Index, st.Tool, st.What, noted(st.Note)))
	}
	if s.More > 0 {
		fmt.Fprintf(a.out, "     and %d more that were not kept\n", s.More)
	}
}

// noted returns a note in parentheses, "" if none exists.
func noted(note string) string {
	if note == "" {
		return ""
	}
	return " (" + note + ")"
}

func (a *app) reloadRun() *cobra.Command {
	var r api.ReplayRequest
	c := newCommand("run ID", "repeat a sequence, up to an action that cannot be made again", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			r.ID, r.Session = args[0], a.getenv("CLAUDE_CODE_SESSION_ID")
			r.Edits = r.Edits || r.Plan != ""
			ans, err := call(ctx, a, api.ReloadRun, r)
			if err != nil {
				return err
			}
			if err := a.answer(ans, func() { a.printReplay(ans) }); err != nil {
				return err
			}
			if ans.Diverged != "" {
				return fail(exitFailed, "aoa reload run "+ans.ID+" --skip leaves actions out", "stopped: %s", ans.Diverged)
			}
			return nil
		})
	c.Flags().IntSliceVar(&r.Skip, "skip", nil, "skip these actions, by their numbers in aoa reload show")
	c.Flags().BoolVar(&r.Edits, "edits", false, "show the edits as a diff; nothing is changed")
	c.Flags().StringVar(&r.Plan, "apply", "", "make the edits of the diff with this name")
	return c
}

func (a *app) printReplay(ans api.ReplayAnswer) {
	for _, s := range ans.Steps {
		fmt.Fprintln(a.out, a.bold(harmless(fmt.Sprintf("%d. %s %s: %s%s", s.Index, s.Tool, s.What, s.State, noted(s.Note)))))
		printLines(a.out, s.Output)
	}
	if ans.Diff != "" {
		printLines(a.out, "\n"+ans.Diff)
	}
	switch {
	case ans.Undo != "":
		a.talk("the edits were made; hint: aoa reload undo %s", ans.Undo)
	case ans.Plan != "" && ans.Diverged == "":
		a.talk("nothing was changed; hint: aoa reload run %s --apply %s", ans.ID, ans.Plan)
	}
}

func (a *app) reloadUndo() *cobra.Command {
	return newCommand("undo [UNDO-ID]", "take back the edits of a replay: all, or none if one was changed since",
		cobra.MaximumNArgs(1),
		func(ctx context.Context, args []string) error {
			r := api.ReplayRequest{Request: reload.Request{ID: strings.Join(args, "")}, Undo: true}
			return show(ctx, a, api.ReloadRun, r, func(ans api.ReplayAnswer) {
				for _, f := range ans.Files {
					fmt.Fprintln(a.out, a.display(f))
				}
			})
		})
}

func (a *app) reloadForget() *cobra.Command {
	return oneOrAll("forget [ID]", "erase a recorded sequence, or --all of them", "a sequence", "all of them",
		func(ctx context.Context, id string, all bool) error {
			r := api.SequenceForgetRequest{ID: id, All: all}
			return show(ctx, a, api.ReloadForget, r, func(ans api.SequenceForgetAnswer) {
				fmt.Fprintf(a.out, "forgot %s\n", plural(ans.Sequences, "sequence"))
			})
		})
}
