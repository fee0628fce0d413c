package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/watcher"
)

// backtest prints what aoa check would have said about the newest commits. It reads git's history
// itself, so people can try it before aoa init.
func (a *app) backtest(ctx context.Context, args []string, how checkHow) error {
	if how.staged || len(args) > 0 || how.format != "text" || how.explain {
		return usage("--backtest asks about the newest commits, and prints text or --json: leave the rest out")
	}
	repo, err := a.repo(ctx)
	if err != nil {
		return err
	}
	cfg, _, err := config.Load(a.env, locate.Find(repo.CommonDir, a.getenv).Settings())
	if err != nil {
		return err
	}
	// a replay allocates much and keeps little; this saves a seventh of its time
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	bar := a.progress("asking again about past changes", "commits")
	defer bar.Finish() // only a progress bar
	s, err := eval.History(ctx, filepath.Base(string(repo.Root)), string(repo.Root), a.env, repo.Excluded)
	if err != nil {
		return err
	}
	b, err := eval.NewBacktest(ctx, s, eval.Options{Sketched: history.MaxSketched, Progress: moves(bar),
		Rules: rulesOf(repo)}, prefetch.Sure(cfg.Threshold))
	if err != nil {
		return err
	}
	_ = bar.Finish()
	if b.Complete == 0 {
		return fail(exitUnjudged, "", "the history is too short: its last quarter has no commit to ask about")
	}
	return a.answer(b, func() { a.backtestText(b) })
}

// rulesOf returns a function that reads what the repository's rules say about the files that would
// be named.
func rulesOf(repo *watcher.Repo) func(context.Context, []prefetch.Lack) (change.Rules, error) {
	return func(ctx context.Context, lacks []prefetch.Lack) (change.Rules, error) {
		return change.RulesOf(ctx, repo, lacks)
	}
}

// shownFindings is the number of complete commits that are listed although a file was named as
// missing.
const shownFindings = 5

func (a *app) backtestText(b *eval.Backtest) {
	fmt.Fprintf(a.out, "%s: aoa check at the newest %s of %s, each judged by the commits before it\n\n",
		event.Path(b.Name).Display(), count(b.Complete), plural(b.Commits, "commit"))
	type line struct {
		question string
		of, yes  int
	}
	printList(a, "question\tasked\tyes\t", []line{
		{"the commit as it was made: is a file named?", b.Complete, b.Spoke},
		{"one of its files left out: is that file named?", b.LeftOut, b.Right},
		{"a file that is named there: is it the right one?", b.Named, b.Right},
	}, func(l line) []any {
		return []any{l.question, l.of, l.yes, fmt.Sprintf("%.0f %%", 100*float64(l.yes)/float64(max(l.of, 1)))}
	})
	for i, f := range b.Findings {
		if i == 0 {
			fmt.Fprintln(a.out, "\nNamed at commits as they were made:")
		}
		if i == shownFindings {
			fmt.Fprintf(a.out, "and at %s\n", plural(len(b.Findings)-i, "older commit"))
			break
		}
		for _, l := range f.Missing {
			text := fmt.Sprintf("%s %s: %s", f.Commit[:min(len(f.Commit), shownDigits)], l.File.Display(),
				evidence(l.Lack, event.Path.Display))
			if l.Later {
				text += "; a commit changed it within a week"
			}
			fmt.Fprintln(a.out, text)
		}
	}
}

// shownDigits is the number of digits of a commit's id that are shown.
const shownDigits = 9
