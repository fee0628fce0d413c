package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	stagerun "github.com/aoa-dev/aoa/internal/stage/run"
)

func (a *app) pipeline() *cobra.Command {
	return family("pipeline", "run stages that use each other's output, when inputs changed",
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
