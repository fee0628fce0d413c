package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/hooks"
	"github.com/aoa-dev/aoa/hooks/transcript"
	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/report"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/watcher"
)

// evalOptions holds the flags of aoa eval.
type evalOptions struct {
	traces, repos, weights, dump, html string
	commits, none                      bool
	threshold                          float64
}

func (a *app) eval() *cobra.Command {
	var o evalOptions
	c := &cobra.Command{
		Use:   "eval",
		Short: "measure the quality of predictions on recorded work",
		Long: `Replays recorded work in the order of time: at each step it predicts, then learns. It prints how
often the right files were among the first, how accurate the probabilities are, what simple baselines
reach, and where a baseline is better than aOa. docs/evaluation.md defines every number.

By default, the recorded work is that of this repository: its git history, its event log, and past
Claude Code sessions, which it reads and does not keep. An evaluation changes nothing that aOa learned.`,
		Example: "  aoa eval\n  aoa eval --commits --json\n  aoa eval --traces DIR --repos CLONES --html page.html",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return a.evaluate(c.Context(), o) },
	}
	f := c.Flags()
	f.BoolVar(&o.commits, "commits", false, "git history only: which file is missing in a commit")
	f.StringVar(&o.traces, "traces", "", "folder with recorded sessions: NAME.jsonl[.gz] and NAME.commits.jsonl[.gz]")
	f.StringVar(&o.repos, "repos", "",
		"with --traces: folder with clones of the repositories, for the contents of files; it reports with and without contents")
	f.StringVar(&o.weights, "weights", "",
		"folder with weights in place of the shipped ones: OWNER+NAME.json, fitted without that repository")
	f.BoolVar(&o.none, "no-transcripts", false, "do not read past Claude Code sessions")
	f.Float64Var(&o.threshold, "threshold", 0, "probability from which files are shown (default: the setting threshold)")
	f.StringVar(&o.dump, "dump", "", "write every decision to this file, one JSON object per line (compressed if it ends in .gz)")
	f.StringVar(&o.html, "html", "", "write a page with diagrams to this file")
	return c
}

// evalAnswer is what --json prints: with contents if clones are there, and once more without.
type evalAnswer struct {
	*eval.Report
	Without *eval.Report `json:"without_contents,omitempty"`
}

func (a *app) evaluate(ctx context.Context, o evalOptions) (err error) {
	if o.repos != "" && o.traces == "" || o.commits && o.repos != "" {
		return usage("--repos needs --traces, and --commits reads no contents")
	}
	if o.threshold < 0 || o.threshold > 1 {
		return usage("threshold %v is not a probability", o.threshold)
	}
	sources, err := a.evalSources(ctx, &o)
	if err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a replay makes much and keeps little: a seventh of its time
	settings := eval.Settings{Threshold: o.threshold}
	settings.Now = a.now
	if settings.Weights, err = weightsIn(o.weights, sources); err != nil {
		return err
	}
	dump, closeDump, err := openDump(o.dump)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDump()) }()
	var ans evalAnswer
	if o.repos != "" {
		if ans.Without, err = a.evalRun(ctx, "without contents", sources, settings); err != nil {
			return err
		}
		settings.Contents = true
	}
	settings.Contents = settings.Contents || o.traces == "" && !o.commits
	settings.Dump = dump
	if ans.Report, err = a.evalRun(ctx, "replay", sources, settings); err != nil {
		return err
	}
	if o.html != "" {
		page := report.Evaluation(strings.Join(sourceNames(sources), ", "), a.now(), ans.Report)
		if _, err := replaceFile("page", a.abs(o.html), page.Write); err != nil {
			return err
		}
	}
	return a.answer(ans, func() { a.evalProse(ans, o) })
}

func sourceNames(sources []eval.Source) []string {
	out := make([]string, len(sources))
	for i, s := range sources {
		out[i] = s.Name
	}
	return out
}

// weightsIn reads the weights that a folder has for the sources, nil without a folder.
func weightsIn(dir string, sources []eval.Source) (func(string) map[event.Task]rank.Model, error) {
	if dir == "" {
		return nil, nil
	}
	of := map[string]map[event.Task]rank.Model{}
	for _, s := range sources {
		data, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(s.Name, "/", "+")+".json"))
		if err == nil {
			of[s.Name], err = rank.Parse(data)
		}
		if err != nil {
			return nil, fail(exitFailed, "`train fit -left` makes such a file from the other repositories",
				"weights of %s: %v", s.Name, err)
		}
	}
	return func(repo string) map[event.Task]rank.Model { return of[repo] }, nil
}

func (a *app) evalProse(ans evalAnswer, o evalOptions) {
	if ans.Without != nil {
		fmt.Fprintln(a.out, "without the contents of files:")
		ans.Without.Print(a.out)
		fmt.Fprintln(a.out, "\nwith the contents of files as of the last commit known at the time:")
	}
	ans.Print(a.out)
	for _, name := range []string{o.dump, o.html} {
		if name != "" {
			a.talk("written: %s", name)
		}
	}
}

// evalRun replays with a bar.
func (a *app) evalRun(ctx context.Context, what string, sources []eval.Source, s eval.Settings) (*eval.Report, error) {
	bar := a.progress(what, "events")
	s.Progress = moves(bar)
	r, err := eval.Run(ctx, sources, s)
	if err != nil {
		_ = bar.Exit()
		return nil, err
	}
	return r, bar.Finish()
}

// moves makes a bar show how much is done.
func moves(bar *progressbar.ProgressBar) func(done, total int) {
	return func(done, total int) {
		bar.ChangeMax(total)
		_ = bar.Set(min(done, total))
	}
}

// evalSources finds the recorded work.
func (a *app) evalSources(ctx context.Context, o *evalOptions) ([]eval.Source, error) {
	if o.traces == "" {
		s, err := a.evalHere(ctx, o)
		return []eval.Source{s}, err
	}
	sources, err := eval.Traces(o.traces)
	if err != nil {
		return nil, fail(exitFailed, "docs/evaluation.md describes the files", "%v", err)
	}
	for i := range sources {
		if n := sources[i].Unusable; n > 0 {
			a.talk("%s: %d lines are no rows of a trace, left out", sources[i].Name, n)
		}
		if o.commits {
			sources[i].Sessions = nil
		}
		if o.repos == "" {
			continue
		}
		dir := eval.CloneOf(o.repos, sources[i].Name)
		if dir == "" {
			a.talk("no clone of %s in %s: its contents are not known", sources[i].Name, o.repos)
			continue
		}
		if err := sources[i].Clone(ctx, dir, a.env); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			a.talk("%s: %v: its contents are not known", sources[i].Name, err)
		}
	}
	return sources, nil
}

// evalHere is the work on the repository of the current folder.
func (a *app) evalHere(ctx context.Context, o *evalOptions) (eval.Source, error) {
	repo, err := a.repo(ctx)
	if err != nil {
		return eval.Source{}, err
	}
	s, err := eval.History(ctx, filepath.Base(string(repo.Root)), string(repo.Root), a.env, repo.Excluded)
	if err != nil || o.commits {
		return s, err
	}
	place := locate.Find(repo.CommonDir, a.getenv)
	cfg, _, err := config.Load(a.env, place.Store)
	if err != nil {
		return s, err
	}
	if o.threshold == 0 {
		o.threshold = cfg.Threshold
	}
	var events []event.Event
	if place.Exists() {
		ans, err := api.Call(ctx, a.dial(repo, place, false), api.Log, api.LogRequest{Limit: evalEvents})
		if err != nil {
			return s, err
		}
		events = ans.Events
	}
	if !o.none && cfg.Transcripts != "off" {
		past, err := a.evalTranscripts(ctx, repo, cfg)
		if err != nil {
			return s, err
		}
		events = append(events, past...)
	}
	s.Recorded(events)
	return s, nil
}

// evalEvents is how much of the log is read: about a year of daily work.
const evalEvents = 500_000

func (a *app) evalTranscripts(ctx context.Context, repo *watcher.Repo, cfg config.Config) ([]event.Event, error) {
	files, err := repo.Files(ctx)
	if err != nil {
		return nil, err
	}
	var out []event.Event
	place := hooks.Repo{Root: repo.Root, Roots: repo.Worktrees(), Tree: index.NewTree(files), Now: a.now,
		Ignored: repo.Ignored, Tags: hooks.TagRules(cfg.Tags)}
	_, err = transcript.Read(ctx, transcript.Dir(a.claudeHome(), repo.Root), place, nil, func(events []event.Event) error {
		for _, e := range events {
			out = append(out, e.Normalize(a.now()))
		}
		return nil
	})
	return out, err
}

// openDump opens the file for decisions; without a name there is none.
func openDump(name string) (*eval.Dump, func() error, error) {
	if name == "" {
		return nil, func() error { return nil }, nil
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) // paths and sessions are private
	if err != nil {
		return nil, nil, fail(exitFailed, "", "write decisions: %v", err)
	}
	var w io.Writer = bufio.NewWriter(f)
	flush := w.(*bufio.Writer).Flush
	if strings.HasSuffix(name, ".gz") {
		z := gzip.NewWriter(f)
		w, flush = z, z.Close
	}
	d := eval.NewDump(w)
	return d, func() error { return errors.Join(d.Flush(), flush(), f.Close()) }, nil
}
