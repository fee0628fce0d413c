package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/prefetch"
)

func (a *app) eval() *cobra.Command {
	var commits bool
	c := &cobra.Command{
		Use:   "eval",
		Short: "measure how right predictions would have been on your own work",
		Long: `Replays the work on this repository in the order of time: at each step it predicts, then it learns. It
prints how often the right file was among the first five, and how often four simple rules would have
been right: committed together most often, same folder, changed most often, changed last.

The work is the git history and the event log. An evaluation changes nothing that aOa learned.
docs/evaluation.md defines every number.`,
		Example: "  aoa eval\n  aoa eval --commits --json",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return a.evaluate(c.Context(), commits) },
	}
	c.Flags().BoolVar(&commits, "commits", false, "git history only: which file is missing in a commit")
	return c
}

func (a *app) evaluate(ctx context.Context, commits bool) error {
	s, threshold, err := a.evalSource(ctx, commits)
	if err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a replay makes much and keeps little: a seventh of its time
	bar := a.progress("replay", "events")
	r, err := eval.Run(ctx, s, eval.Options{Contents: !commits, Progress: moves(bar)}, prefetch.Sure(threshold))
	_ = bar.Finish() // only a progress bar
	if err != nil {
		return err
	}
	return a.answer(r, func() { a.evalProse(r) })
}

// evalWords are questions and rules in words.
var evalWords = map[string]string{
	eval.LeftOut: "the file that a commit lacks", eval.AtPrompt: "a file that a prompt leads to",
	eval.NextFile: "the file that a session opens next",
	eval.Together: "together", eval.Folder: "folder", eval.Frequent: "often", eval.Recent: "last",
}

func (a *app) evalProse(r *eval.Report) {
	fmt.Fprintf(a.out, "%s: %s, %s\n", event.Path(r.Name).Display(), plural(r.Commits, "commit"), plural(r.Sessions,
		"session"))
	if len(r.Questions) == 0 {
		fmt.Fprintln(a.out, "Nothing to ask about yet: no session, and no commit of 2 to 30 files in the last quarter "+
			"of the history.")
		return
	}
	fmt.Fprintln(a.out, "\n"+fit("How often the right file was among the first five. \"first\": aOa's first file. "+
		"Simple rules:\ncommitted together most often, in the same folder, changed most often, changed last.", a.width))
	head := "question\tasked\taOa\tfirst"
	for _, rule := range eval.RuleNames {
		head += "\t" + evalWords[rule]
	}
	var better []string
	printList(a, head, r.Questions, func(q eval.Question) []any {
		row := []any{evalWords[q.Kind], q.Asked, inPercent(q.Five), inPercent(q.First)}
		for _, rule := range eval.RuleNames {
			row = append(row, inPercent(q.Rules[rule]))
			if q.Rules[rule] > q.Five {
				better = append(better, fmt.Sprintf("%q at %s", evalWords[rule], evalWords[q.Kind]))
			}
		}
		return row
	})
	if len(better) > 0 {
		fmt.Fprintf(a.out, "A simple rule is better than aOa: %s.\n", strings.Join(better, ", "))
	}
	if x := r.Warnings; x != nil {
		fmt.Fprintln(a.out, "\n"+fit(fmt.Sprintf("aoa check would have named %s of %d files that were left out, "+
			"and %s of the files that it named were these. It would have warned of %s of %d complete commits.",
			inPercent(x.Named), x.LeftOut, inPercent(x.Right), inPercent(x.False), x.Changes), a.width))
	}
}

func inPercent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// evalSource is the work on the repository of the current folder, and the probability from which files are shown.
func (a *app) evalSource(ctx context.Context, commits bool) (s eval.Source, threshold float64, err error) {
	repo, err := a.repo(ctx)
	if err != nil {
		return s, 0, err
	}
	place := locate.Find(repo.CommonDir, a.getenv)
	cfg, _, err := config.Load(a.env, place.Settings())
	if err != nil {
		return s, 0, err
	}
	s, err = eval.History(ctx, filepath.Base(string(repo.Root)), string(repo.Root), a.env, repo.Excluded)
	if err != nil || commits {
		return s, cfg.Threshold, err
	}
	if place.Known() == nil {
		ans, err := api.Call(ctx, a.dial(repo, place), api.Log, api.LogRequest{Limit: evalEvents})
		if err != nil {
			return s, 0, err
		}
		s.Recorded(ans.Events)
	}
	return s, cfg.Threshold, nil
}

// evalEvents is how much of the log is read: about a year of daily work.
const evalEvents = 500_000
