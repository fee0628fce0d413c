package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
	stagerun "github.com/aoa-dev/aoa/internal/stage/run"
)

func (a *app) pipeline() *cobra.Command {
	return family("pipeline", "run commands that read each other's output, if inputs changed",
		a.pipelineRun(), a.pipelineCheck())
}

// pipelineFlags has the flags of a pipeline run.
type pipelineFlags struct {
	session       string
	args, context []string
	refresh       bool
}

func (a *app) pipelineRun() *cobra.Command {
	var f pipelineFlags
	c := newCommand("run FILE|NAME [ARG…]", "run a pipeline; unchanged stages come from the cache",
		cobra.MinimumNArgs(1),
		func(ctx context.Context, args []string) error {
			r, err := a.openPipeline(ctx, args, &f)
			if err != nil {
				return err
			}
			return a.runPipeline(ctx, r, &f)
		})
	f.add(c)
	c.Flags().BoolVar(&f.refresh, "refresh", false, "run every stage, and keep the new results")
	return c
}

func (f *pipelineFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.session, "session", "", "the session whose outputs and context it reads and writes")
	fl.StringArrayVar(&f.args, "arg", nil, "an argument as name=value, read as $ARG_name")
	fl.StringArrayVar(&f.context, "context", nil,
		"a value of the session's context as name=value, read as $CONTEXT_name; {…} and […] are JSON")
}

func (a *app) pipelineCheck() *cobra.Command {
	var f pipelineFlags
	c := newCommand("check FILE|NAME [ARG…]", "check a pipeline, and print the order of its stages",
		cobra.MinimumNArgs(1),
		func(ctx context.Context, args []string) error {
			r, err := a.openPipeline(ctx, args, &f)
			if err != nil {
				return err
			}
			out := struct {
				Pipeline string                  `json:"pipeline"`
				Stages   []stagerun.PlannedStage `json:"stages"`
			}{r.Name(), r.Plan()}
			return a.answer(out, func() {
				for _, l := range out.Stages {
					after := ""
					if len(l.Needs) > 0 {
						after = "  after " + strings.Join(l.Needs, ", ")
					}
					fmt.Fprintln(a.out, l.Stage+after)
				}
			})
		})
	f.add(c)
	return c
}

// openPipeline reads a pipeline and all files that it names. It checks everything before anything
// runs.
func (a *app) openPipeline(ctx context.Context, args []string, f *pipelineFlags) (*stagerun.Pipeline, error) {
	client, repo, err := a.client(ctx)
	if err != nil {
		return nil, err
	}
	o := stagerun.PipelineOptions{Client: client, Session: f.session, Root: string(repo.Root), Env: a.env,
		Positional: args[1:], Refresh: f.refresh, Now: a.now}
	if o.Args, err = namedValues("--arg", f.args); err != nil {
		return nil, err
	}
	if o.Context, err = namedValues("--context", f.context); err != nil {
		return nil, err
	}
	req := api.PipelineRequest{Session: f.session, Name: args[0]}
	if ext := filepath.Ext(args[0]); ext == ".yaml" || ext == ".yml" {
		if req.Name, req.File = "", args[0]; !filepath.IsAbs(req.File) {
			here, err := filepath.EvalSymlinks(a.dir)
			if err != nil {
				return nil, err
			}
			req.File = filepath.Join(here, req.File)
		}
	}
	if o.Answer, err = api.Call(ctx, client, api.PipelineOpen, req); err != nil {
		return nil, err
	}
	r, err := stagerun.NewPipeline(o)
	switch {
	case errors.Is(err, stagerun.ErrArgument):
		return nil, usage("--arg %v", err)
	case err != nil:
		return nil, fail(exitFailed, "aoa pipeline check "+event.ShellWord(args[0]), "%s: %v", o.Answer.ID, err)
	}
	return r, nil
}

var argName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)
})

// namedValues parses arguments of the form name=value.
func namedValues(what string, words []string) (map[string]string, error) {
	out := map[string]string{}
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if _, twice := out[k]; !ok || twice || !argName().MatchString(k) {
			return nil, usage("%s %s: use name=value, each name once, of letters, digits and _", what, w)
		}
		out[k] = v
	}
	return out, nil
}

// modes are how progress lines begin, by the mode of the pipeline.
var modes = map[string]string{"Live": "● Live", "Session": "⟳ Session"}

// tailLines is the number of last lines of a failed stage's standard error that are printed.
const tailLines = 20

// runPipeline runs a pipeline. It prints the report, or the output of the stages that no other
// stage reads. For each stage it prints to stderr why the stage runs and how it ended.
func (a *app) runPipeline(ctx context.Context, r *stagerun.Pipeline, f *pipelineFlags) error {
	var mu sync.Mutex
	progress := func(text string) {
		fmt.Fprintf(a.err, "%s %s\n", modes[r.Mode()], harmless(text))
	}
	r.Note = func(stage string, problem bool, text string) {
		mu.Lock()
		defer mu.Unlock()
		if problem {
			a.talk("stage %s: %s", stage, text)
		} else {
			progress(stage + " " + text)
		}
	}
	r.Done = func(s stagerun.StageReport, sum stagerun.PipelineTotal) {
		mu.Lock()
		defer mu.Unlock()
		progress(fmt.Sprintf("%d/%d | %s | %s | %s tokens", sum.Ended, len(r.Plan()), s.Stage, ended(s), count(sum.Tokens)))
		if s.State == "failed" && s.Optional {
			a.talk("stage %s failed, and is not required: %v", s.Stage, s.Why)
		}
		lines := strings.Split(strings.TrimSpace(string(s.Stderr)), "\n")
		for _, l := range lines[max(0, len(lines)-tailLines):] {
			if l != "" {
				fmt.Fprintf(a.err, "%s| %s\n", s.Stage, harmless(l))
			}
		}
	}
	began := a.now()
	rep, err := r.Run(ctx)
	if rep == nil {
		return err
	}
	progress(pipelineSummary(rep, a.now().Sub(began)))
	hint := "the same command continues where this one stopped"
	if f.session == "" {
		hint = "with --session, the next run continues where this one stopped"
	}
	if ctx.Err() != nil {
		return fail(exitInterrupted, hint, "interrupted")
	}
	printed := a.answer(rep, func() {
		for _, s := range rep.Stages {
			if text := pipeline.Text(rep.Outputs[s.Stage]); text != "" {
				fmt.Fprintln(a.out, strings.TrimRight(text, "\n"))
			}
		}
	})
	if err != nil {
		return fail(exitFailed, hint, "%v", err)
	}
	return printed
}

// ended tells how a stage ended.
func ended(s stagerun.StageReport) string {
	switch s.State {
	case "unchanged":
		return "unchanged, " + millis(s.Saved) + " saved"
	case "resumed":
		return "done by the interrupted run"
	case "failed":
		return "failed"
	}
	return s.State + " " + millis(s.Duration)
}

// pipelineSummary returns the last progress line.
func pipelineSummary(rep *stagerun.PipelineReport, d time.Duration) string {
	counts := map[string]int{}
	var saved int64
	for _, s := range rep.Stages {
		counts[s.State]++
		saved += s.Saved
	}
	var parts []string
	for _, state := range []string{"ran", "unchanged", "resumed", "failed", "skipped"} {
		if n := counts[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	out := fmt.Sprintf("%s: %s in %s", rep.Pipeline, strings.Join(parts, ", "), length(d))
	if saved > 0 {
		out += ", " + millis(saved) + " saved"
	}
	if rep.Tokens > 0 {
		out += fmt.Sprintf(", %s tokens", count(rep.Tokens))
	}
	if c := rep.Context; c.Of > 0 {
		out += fmt.Sprintf("; %d of the %d values that the session has stored were used, about %s tokens saved",
			c.Values, c.Of, count(c.Tokens))
	}
	return out
}
