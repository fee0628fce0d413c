package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
)

func (a *app) reload() *cobra.Command {
	c := &cobra.Command{
		Use:   "reload",
		Short: "what prompts led to before: found again, and done again",
		Long: `aOa records what a prompt led an agent to do. When the same is asked again, the agent is offered the
sequence; these commands are the same for people. Replaying looks first: reads, searches and listings are done
now; commands only if aoa config reload.commands names them; edits only with --edits, as a diff, and made only
with --apply and the name of that diff. Without a subcommand it is aoa reload list.`,
		Args: cobra.NoArgs,
	}
	list := a.reloadList()
	c.RunE = func(c *cobra.Command, _ []string) error { return list.RunE(c, nil) }
	for _, sub := range []*cobra.Command{list, a.reloadShow(), a.reloadRun(), a.reloadUndo(), a.reloadForget(), a.reloadStats(), a.reloadExport()} {
		a.strict(sub)
		c.AddCommand(sub)
	}
	return c
}

func (a *app) reloadList() *cobra.Command {
	r := api.SequencesRequest{}
	c := &cobra.Command{
		Use:     "list",
		Short:   "the recorded sequences, used last first; with --for those that fit a prompt",
		Example: "  aoa reload list --for \"explain the retry policy\"",
		Args:    cobra.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		client, _, err := a.client(c.Context(), false)
		if err != nil {
			return err
		}
		r.All = r.Prompt == ""
		ans, err := api.Call(c.Context(), client, api.ReloadList, r)
		if err != nil {
			return err
		}
		return a.answer(ans, func() { a.sequenceTable(ans.Sequences, r.Prompt != "") })
	}
	c.Flags().StringVar(&r.Prompt, "for", "", "only what fits this prompt, best first")
	c.Flags().IntVarP(&r.Limit, "number", "n", 20, "how many")
	return c
}

func (a *app) sequenceTable(list []api.Sequence, fits bool) {
	if len(list) == 0 {
		a.talk("no sequence is recorded%s", map[bool]string{true: " that fits"}[fits])
		a.talk("hint: aoa hooks install claude; a turn that ended well is recorded when it ends")
		return
	}
	rows := []string{"id\tuses\tok\tfailed\tlast used\twhat it did\tprompt"}
	if fits {
		rows[0] = "id\tmatch\tuses\twhat it did\twhy"
	}
	for _, s := range list {
		if fits {
			rows = append(rows, fmt.Sprintf("%s\t%.0f%%\t%d\t%s\t%s", s.ID, 100*s.Similarity, s.Uses, s.Summary, s.Reason))
			continue
		}
		prompt := []rune(strings.Join(strings.Fields(s.Prompt), " "))
		if s.Type == "command" {
			prompt = []rune("/" + s.Target + " " + string(prompt))
		}
		rows = append(rows, fmt.Sprintf("%s\t%d\t%d\t%d\t%s\t%s\t%s", s.ID, s.Uses, s.Successes, s.Failures, stamp(s.Used), s.Summary, string(prompt[:min(len(prompt), 60)])))
	}
	a.table(rows...)
}

func (a *app) reloadShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "one sequence: its actions, files and outcome",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Call(c.Context(), client, api.ReloadShow, api.SequenceRequest{ID: args[0]})
			if err != nil {
				return err
			}
			return a.answer(ans, func() { a.sequenceProse(ans) })
		},
	}
}

func (a *app) sequenceProse(s api.SequenceAnswer) {
	a.table(
		"id\t"+s.ID,
		"trigger\t"+strings.TrimSpace(s.Type+" "+s.Target),
		"prompt\t"+strings.Join(strings.Fields(s.Prompt), " "),
		"did\t"+s.Summary,
		"outcome\t"+outcomeWords(s.Outcome),
		fmt.Sprintf("used\t%d times, %d well, %d not; last %s", s.Uses, s.Successes, s.Failures, stamp(s.Used)),
		fmt.Sprintf("from\t%s, session %s, %s", s.Agent, s.Session, stamp(s.Created)),
	)
	fmt.Fprintln(a.out)
	for _, st := range s.Steps {
		line := fmt.Sprintf("%3d  %s  %s", st.Index, st.Tool, st.What)
		if st.Note != "" {
			line += " (" + st.Note + ")"
		}
		fmt.Fprintln(a.out, harmless(line))
	}
	if s.More > 0 {
		fmt.Fprintf(a.out, "     and %d more that were not kept\n", s.More)
	}
}

func outcomeWords(o api.Outcome) string {
	words := []string{"the turn was broken off"}
	if o.Ended {
		words[0] = "the turn ended"
	}
	if o.Tests != "" {
		words = append(words, "tests "+o.Tests)
	}
	if o.Corrected {
		words = append(words, "the next prompt corrected it")
	}
	return strings.Join(words, ", ")
}

func (a *app) reloadRun() *cobra.Command {
	var r api.ReplayRequest
	c := &cobra.Command{
		Use:   "run ID",
		Short: "do a sequence again, up to the first action that does not do what it did",
		Long: `Reads, searches and listings are done now and say what they find now. Commands are run only if
aoa config reload.commands names them. Edits are left out; with --edits they are worked out and shown as a diff
with a name, and --apply NAME makes exactly these: all of them or none. aoa reload undo puts the files back.`,
		Example: "  aoa reload run cache-k3v9x2m4pa --skip 0,2\n  aoa reload run k3v9 --edits\n  aoa reload run k3v9 --apply 4be1f0a93c77",
		Args:    cobra.ExactArgs(1),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		client, _, err := a.client(c.Context(), false)
		if err != nil {
			return err
		}
		r.ID = args[0]
		r.Edits = r.Edits || r.Plan != ""
		ans, err := api.Call(c.Context(), client, api.ReloadRun, r)
		if err != nil {
			return err
		}
		if err := a.answer(ans, func() { a.replayProse(ans) }); err != nil {
			return err
		}
		if ans.Diverged != "" {
			hint := "aoa reload run " + ans.ID + " --skip leaves actions out"
			return fail(exitFailed, hint, "stopped: %s", ans.Diverged)
		}
		return nil
	}
	c.Flags().IntSliceVar(&r.Skip, "skip", nil, "leave these actions out, by their numbers in aoa reload show")
	c.Flags().BoolVar(&r.Edits, "edits", false, "show the edits as a diff; nothing is changed")
	c.Flags().StringVar(&r.Plan, "apply", "", "make the edits of the diff with this name")
	return c
}

func (a *app) replayProse(ans api.ReplayAnswer) {
	for _, s := range ans.Steps {
		line := fmt.Sprintf("%d. %s %s: %s", s.Index, s.Tool, s.What, s.State)
		if s.Note != "" {
			line += " (" + s.Note + ")"
		}
		fmt.Fprintln(a.out, a.bold(harmless(line)))
		for l := range strings.Lines(s.Output) {
			fmt.Fprintln(a.out, harmless(strings.TrimRight(l, "\r\n")))
		}
	}
	if ans.Diff != "" {
		fmt.Fprintln(a.out)
		for l := range strings.Lines(ans.Diff) {
			fmt.Fprintln(a.out, harmless(strings.TrimRight(l, "\r\n")))
		}
	}
	switch {
	case ans.Undo != "":
		a.talk("the edits were made; hint: aoa reload undo %s", ans.Undo)
	case ans.Plan != "" && ans.Diverged == "":
		a.talk("nothing was changed; hint: aoa reload run %s --apply %s", ans.ID, ans.Plan)
	}
}

func (a *app) reloadUndo() *cobra.Command {
	return &cobra.Command{
		Use:   "undo [UNDO-ID]",
		Short: "put back what a replay edited: all files, or none if one was changed since",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Call(c.Context(), client, api.ReloadUndo, api.UndoRequest{ID: strings.Join(args, "")})
			if err != nil {
				return err
			}
			return a.answer(ans, func() {
				for _, f := range ans.Files {
					fmt.Fprintln(a.out, f.Display())
				}
			})
		},
	}
}

func (a *app) reloadForget() *cobra.Command {
	var r api.SequenceForgetRequest
	c := &cobra.Command{
		Use:   "forget ID",
		Short: "erase a recorded sequence, or --all of them",
		Args:  cobra.MaximumNArgs(1),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		client, _, err := a.client(c.Context(), false)
		if err != nil {
			return err
		}
		r.ID = strings.Join(args, "")
		ans, err := api.Call(c.Context(), client, api.ReloadForget, r)
		if err != nil {
			return err
		}
		return a.answer(ans, func() { fmt.Fprintf(a.out, "forgot %d sequences\n", ans.Sequences) })
	}
	c.Flags().BoolVar(&r.All, "all", false, "erase all of them")
	return c
}

func (a *app) reloadStats() *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "how often something was recorded, found, offered and taken up",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			s, err := api.Call(c.Context(), client, api.ReloadStats, api.None{})
			if err != nil {
				return err
			}
			return a.answer(s, func() {
				var gone []string
				for why, n := range s.Evicted {
					gone = append(gone, fmt.Sprintf("%s %d", why, n))
				}
				slices.Sort(gone)
				a.table(
					fmt.Sprintf("kept\t%s sequences, %s", count(int64(s.Entries)), size(int64(s.Bytes))),
					"recorded\t"+count(s.Recorded),
					fmt.Sprintf("looked up\t%s prompts, %s found one", count(s.Lookups), count(s.Hits)),
					fmt.Sprintf("offered\t%s, %s taken up (%.0f%%)", count(s.Offered), count(s.Accepted), 100*s.Acceptance),
					fmt.Sprintf("replayed\t%s, %s stopped at a divergence", count(s.Replays), count(s.Diverged)),
					"went\t"+strings.Join(append(gone, ""), ", "))
			})
		},
	}
}

func (a *app) reloadExport() *cobra.Command {
	return &cobra.Command{
		Use:   "export",
		Short: "all sequences as JSON: id, fingerprint, actions, summary, metadata",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			all, err := api.Call(c.Context(), client, api.ReloadExport, api.None{})
			if err != nil {
				return err
			}
			a.json = true
			return a.answer(all, nil)
		},
	}
}
