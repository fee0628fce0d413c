package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/watcher"
)

// checkHow holds the flags of aoa check.
type checkHow struct {
	staged, strict, backtest, explain bool
	format                            string
}

func (a *app) check() *cobra.Command {
	var how checkHow
	c := newCommand("check [COMMIT | BASE..HEAD | FILE…]", "list what a change breaks, and which files it lacks",
		nil, nil)
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("format") {
			if err := without(c, "--format", "json", "explain"); err != nil {
				return err
			}
		}
		if how.backtest {
			return a.judged(a.backtest(c.Context(), args, how), how.strict)
		}
		return a.judged(a.checkChange(c.Context(), args, how), how.strict)
	}
	f := c.Flags()
	f.BoolVar(&how.staged, "staged", false, "check the commit that is being made")
	f.BoolVar(&how.backtest, "backtest", false, "check the newest commits again, each by the commits before it")
	f.BoolVar(&how.explain, "explain", false, "print how probable it is that each file is missing")
	f.StringVar(&how.format, "format", "text", "what to print: "+strings.Join(formatNames(), ", "))
	f.BoolVar(&how.strict, "strict", false, "exit "+fmt.Sprint(exitUnjudged)+" if aOa cannot judge")
	return c
}

// errFound ends aoa check after it has printed findings.
var errFound = errors.New("the change is not complete")

// judged turns the error of a check that could not judge into success, unless strict is set.
// Findings and a wrong command line remain errors.
func (a *app) judged(err error, strict bool) error {
	code, hint := judge(err)
	switch {
	case err == nil, errors.Is(err, errFound), errors.Is(err, context.Canceled), code == exitUsage, code == exitNoFile:
		return err
	case strict:
		return fail(exitUnjudged, "aoa doctor", "not checked: %w", err)
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	a.talk("not checked: %s", text)
	if hint != "" {
		a.talk("hint: %s", hint)
	}
	return nil
}

// checkRequest returns the request that the command line asks for.
func (a *app) checkRequest(ctx context.Context, args []string, how checkHow) (r change.Request, err error) {
	_, repo, err := a.client(ctx)
	if err != nil {
		return r, err
	}
	r.Committer = a.getenv("GIT_COMMITTER_EMAIL")
	switch {
	case len(args) == 1 && isRange(a.dir, args[0]):
		r.Range = args[0]
	case len(args) > 0:
		found, err := a.names(ctx, args...)
		if err != nil {
			return r, err
		}
		r.Files, err = a.files(found, true)
		if err != nil && len(args) == 1 && a.isCommit(ctx, string(repo.Root), args[0]) {
			if !a.isCommit(ctx, string(repo.Root), args[0]+"^") {
				return r, usage("%s has no commit before it here: it is the first one, or the clone is shallow", args[0])
			}
			r.Range, err = args[0]+"^.."+args[0], nil
		}
		if err != nil {
			return r, err
		}
	}
	if r.Staged = how.staged; r.Staged {
		// git names it relative to the top of the working tree.
		if r.Index = a.getenv("GIT_INDEX_FILE"); r.Index != "" && !filepath.IsAbs(r.Index) {
			r.Index = filepath.Join(string(repo.Root), r.Index)
		}
	}
	return r, nil
}

// isRange reports whether an argument is a range of commits: it contains ".." and is not the path
// of a file.
func isRange(dir, arg string) bool {
	if !strings.Contains(arg, "..") || slices.Contains(strings.Split(filepath.ToSlash(arg), "/"), "..") {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, arg))
	return err != nil
}

// isCommit reports whether git resolves a name to a commit.
func (a *app) isCommit(ctx context.Context, root, name string) bool {
	_, err := git.Find(a.env).Run(ctx, root, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	return err == nil
}

// checkChange prints what a change breaks and lacks.
func (a *app) checkChange(ctx context.Context, args []string, how checkHow) error {
	printed, known := formats[how.format]
	if !known {
		return usage("there is no format %q, use one of %s", how.format, strings.Join(formatNames(), ", "))
	}
	if how.explain {
		printed = (*app).checkExplained
	}
	if how.staged && len(args) > 0 {
		return usage("give --staged or name a change, not both")
	}
	r, err := a.checkRequest(ctx, args, how)
	if err != nil {
		return err
	}
	st, err := call(ctx, a, api.Status, api.None{})
	if err != nil {
		return err
	}
	if unread := st.Commits == 0 && st.Import.State != "done"; unread || st.Import.State == "failed" {
		return fail(exitUnjudged, "aoa status", "the history is not learned: %s", progress(st.Import))
	}
	ans, err := a.checkRead(ctx, r)
	if err != nil {
		return err
	}
	if ans.Silent != "" {
		a.talk("%s: nothing to check", ans.Silent)
	}
	for _, l := range ans.Unread {
		a.talk("warning: %s", l)
	}
	err = a.answer(struct {
		change.Answer
		Root event.Root `json:"root"`
	}{ans, a.root}, func() { printed(a, &ans) })
	if err != nil {
		return err
	}
	a.early(ans.Reading)
	switch {
	case ans.Findings() > 0:
		return a.found(&ans, r.Staged)
	case ans.Reading && how.strict:
		return fail(exitUnjudged, "aoa check in a few seconds", "the changes of earlier commits are not read yet")
	case a.terminal && !r.Staged && ans.Silent == "" && !a.json:
		a.talk("found nothing that this change breaks or lacks") // hooks of git and programs need no such line
	}
	return nil
}

// How long a check waits until earlier commits have been read. Reading begins after aoa init and
// takes some seconds. A person who is committing is not held up for long.
const (
	readPatience   = 30 * time.Second
	commitPatience = 3 * time.Second
)

// checkRead asks what a change breaks and lacks. While earlier commits are still being read, it
// asks again, because the answer would be incomplete. The daemon waits up to a second each time.
func (a *app) checkRead(ctx context.Context, r change.Request) (change.Answer, error) {
	begin, patience := a.now(), readPatience
	if r.Staged {
		patience = commitPatience
	}
	moves, finish := a.progress("reading", "commits")
	defer finish()
	for said := false; ; said = true {
		ans, err := call(ctx, a, api.Check, r)
		if err != nil || !ans.Reading || a.now().Sub(begin) > patience {
			return ans, err
		}
		if !said {
			a.talk("reading the changes of earlier commits")
		}
		st, err := call(ctx, a, api.Status, api.None{})
		if err != nil {
			return ans, err
		}
		moves(st.Sketches.Done, st.Sketches.Total)
	}
}

// found returns the error of a check with findings: how many there are, and what to do if one of
// them is wrong.
func (a *app) found(ans *change.Answer, staged bool) error {
	var parts []string
	broken := map[event.Path]bool{} // a file is listed once for each name
	for _, b := range ans.Broken {
		broken[b.File] = true
	}
	switch {
	case ans.MoreBroken > 0:
		parts = append(parts, "breaks at least "+plural(len(broken), "file"))
	case len(broken) > 0:
		parts = append(parts, "breaks "+plural(len(broken), "file"))
	}
	if n := len(ans.Missing) + ans.MoreMissing; n > 0 {
		parts = append(parts, "may lack "+plural(n, "file"))
	}
	f := &failure{code: exitFailed, err: fmt.Errorf("%w: it %s", errFound, strings.Join(parts, " and "))}
	if staged {
		f.hint = "git commit --no-verify commits it anyway"
	}
	for _, m := range ans.Missing {
		f.snippet += m.Exception + "\n"
	}
	if f.snippet != "" {
		f.hint = strings.TrimPrefix(f.hint+"; list pairs that need not change together in "+string(change.ExceptionsFile)+
			", with lines like these:", "; ")
	}
	return f
}

// backtest prints what aoa check would have said about the newest commits. It reads git's history
// itself, so people can try it before aoa init.
func (a *app) backtest(ctx context.Context, args []string, how checkHow) error {
	if how.staged || len(args) > 0 || how.format != "text" || how.explain {
		return usage("--backtest is about the newest commits: it takes no change, and no other flag than --json")
	}
	repo, err := a.repo(ctx)
	if err != nil {
		return err
	}
	cfg, _, err := config.Load(a.env, locate.Find(repo.CommonDir, a.getenv).Settings())
	if err != nil {
		return err
	}
	// asking about old commits allocates much and keeps little; this saves a seventh of the time
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	moves, finish := a.progress("asking again about past changes", "commits")
	defer finish()
	s, err := eval.History(ctx, filepath.Base(string(repo.Root)), string(repo.Root), a.env, repo.Excluded)
	if err != nil {
		return err
	}
	b, err := eval.NewBacktest(ctx, s, eval.Options{Sketched: history.MaxSketched, Progress: moves,
		Rules: rulesOf(repo)}, prefetch.Sure(cfg.Threshold))
	if err != nil {
		return err
	}
	finish()
	if b.Complete == 0 {
		return fail(exitUnjudged, "", "the history is too short: its newest quarter, on which the check is tried, has no commit")
	}
	return a.answer(b, func() { a.backtestText(b) })
}

// rulesOf returns a function that reads what the repository's rules say about the files that a
// check would name.
func rulesOf(repo *watcher.Repo) func(context.Context, []prefetch.Lack) (change.Rules, error) {
	return func(ctx context.Context, lacks []prefetch.Lack) (change.Rules, error) {
		return change.RulesOf(ctx, repo, lacks)
	}
}

// shownFindings is the largest number of complete commits that are listed because the check named a
// missing file for them.
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
