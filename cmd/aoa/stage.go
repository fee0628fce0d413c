package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/internal/stage"
	stagerun "github.com/aoa-dev/aoa/internal/stage/run"
	"github.com/aoa-dev/aoa/watcher"
)

func (a *app) stage() *cobra.Command {
	return family("stage", "run a command only if its inputs have changed",
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

// stageFlags has the inputs of a stage as they were typed.
type stageFlags struct {
	deps, outputs, inputs, env []string
	tool, model, template      string
	ttl                        duration
	refresh, quiet             bool
}

func (a *app) stageRun() *cobra.Command {
	var f stageFlags
	c := newCommand("run NAME [flags] -- COMMAND [ARG…]", "run a command, or replay its last result if nothing changed",
		nil, nil)
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.ArgsLenAtDash() != 1 || len(args) < 2 {
			return usage(`put "--" before the command: aoa stage run NAME [flags] -- COMMAND`)
		}
		return a.runStage(c.Context(), args[0], args[1:], &f)
	}
	fl := c.Flags()
	fl.StringArrayVar(&f.deps, "dep", nil,
		"files that it depends on: a glob (** for folders), a name or a folder; !GLOB excludes files")
	fl.StringArrayVar(&f.inputs, "input", nil, "a value that it depends on, as k=v")
	fl.StringArrayVar(&f.env, "env", nil, "an environment variable that it depends on")
	fl.StringVar(&f.tool, "tool", "", "a command that prints a version; one word NAME means NAME --version")
	fl.StringVar(&f.model, "model", "", "the model that it uses")
	fl.StringVar(&f.template, "template", "", "the file with its template")
	f.ttl = duration(time.Hour)
	fl.Var(&f.ttl, "ttl", "run again when the result is older than this; 0 for never")
	fl.StringArrayVar(&f.outputs, "out", nil, "files that it makes, to be restored: a name, a folder or a glob")
	fl.BoolVar(&f.refresh, "refresh", false, "run even if nothing changed, and keep the new result")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "print notes only about problems")
	return c
}

// stageRequest returns the request for flags that were typed in this folder.
func (a *app) stageRequest(repo *watcher.Repo, name string, command []string, f *stageFlags) (stage.Request, error) {
	r := stage.Request{Stage: name, Command: command, Shown: clip(redact.Text(strings.Join(command, " ")), 200),
		Model: f.model, TTL: time.Duration(f.ttl).Milliseconds(), Refresh: f.refresh, Env: map[string]*string{}}
	if f.ttl > 0 && r.TTL == 0 {
		return r, usage("--ttl %s: use 0, or 1ms and more", &f.ttl)
	}
	here, err := filepath.EvalSymlinks(a.dir)
	if err != nil {
		return r, err
	}
	if p, ok := repo.Root.Path(here); ok {
		r.Dir = string(p)
	}
	for _, d := range f.deps {
		not := strings.HasPrefix(d, "!")
		p := pattern(here, r.Dir, strings.TrimPrefix(d, "!"))
		if not {
			p = "!" + p
		}
		r.Deps = append(r.Deps, p)
	}
	for _, o := range f.outputs {
		r.Outputs = append(r.Outputs, pattern(here, r.Dir, o))
	}
	if r.Inputs, err = namedValues("--input", f.inputs); err != nil {
		return r, err
	}
	for _, k := range f.env {
		if k == "" || strings.Contains(k, "=") {
			return r, usage("--env %s: name a variable", k)
		}
		r.Env[k] = stagerun.Variable(a.env, k)
	}
	if f.template != "" {
		if r.Template = f.template; !filepath.IsAbs(r.Template) {
			r.Template = filepath.Join(here, r.Template)
		}
	}
	r.Tool, err = stagerun.FindTool(f.tool, a.env)
	return r, err
}

// pattern returns a typed glob relative to the root, or absolute if it is outside of the root. here
// is the folder where it was typed.
func pattern(here, dir, p string) string {
	if filepath.IsAbs(p) || p == "" {
		return p
	}
	q := path.Join(dir, filepath.ToSlash(p))
	if q == ".." || strings.HasPrefix(q, "../") {
		return filepath.Join(here, filepath.FromSlash(p))
	}
	return q
}

// runStage implements aoa stage run.
func (a *app) runStage(ctx context.Context, name string, command []string, f *stageFlags) error {
	client, repo, err := a.client(ctx)
	if err != nil {
		return err
	}
	req, err := a.stageRequest(repo, name, command, f)
	if err != nil {
		return err
	}
	note := func(problem bool, text string) {
		if problem || !f.quiet {
			a.talk("stage %s: %s", name, text)
		}
	}
	s := &stagerun.Step{Client: client, Request: req, Root: string(repo.Root), Dir: a.dir, Env: a.env, Now: a.now,
		Note: note}
	if !a.json {
		s.Out, s.Err = a.unwrapped(), a.err
	}
	if err := s.Run(ctx); err != nil {
		return stageFailure(name, err)
	}
	switch {
	case !s.Ran:
		note(false, unchanged(s.Turn))
	case s.Kept.Why != "":
		note(false, "not kept: "+s.Kept.Why)
	}
	if a.json {
		if err := a.answer(stageReportOf(s), nil); err != nil {
			return err
		}
	}
	if s.Code != 0 {
		return exitCode(s.Code)
	}
	return nil
}

func unchanged(t *stage.Turn) string {
	waited := ""
	if t.Waited > 0 {
		waited = fmt.Sprintf(", after waiting %s for the same run elsewhere", millis(t.Waited))
	}
	return fmt.Sprintf("unchanged since %s, %s saved%s", stamp(t.Entry.Created), millis(t.Entry.Duration), waited)
}

// stageFailure adds an exit code and a hint to the error of a stage.
func stageFailure(name string, err error) error {
	if start, ok := errors.AsType[*stagerun.StartError](err); ok {
		return fail(start.Code, "", "stage %s: %v", name, start.Err)
	}
	if errors.Is(err, stagerun.ErrRestore) {
		return fail(exitFailed, "aoa stage run --refresh runs it again", "%v", err)
	}
	return err
}

// exitCode is the exit code of a wrapped command. aoa exits with the same code and prints nothing
// about it.
type exitCode int

func (p exitCode) Error() string { return fmt.Sprintf("exit code %d", int(p)) }

// stageReportOf returns what stage run prints with --json.
func stageReportOf(s *stagerun.Step) map[string]any {
	out := map[string]any{"stage": s.Request.Stage, "hit": !s.Ran, "exit": s.Code, "duration_ms": s.Took.Milliseconds(),
		"kept": s.Kept.Kept || !s.Ran}
	if s.Turn != nil {
		out["key"], out["miss"] = s.Turn.Key, s.Turn.Miss
	}
	if s.Kept.Why != "" {
		out["not_kept"] = s.Kept.Why
	}
	if !s.Ran {
		out["saved_ms"] = s.Took.Milliseconds()
	}
	if s.Record != nil {
		out["stdout"], out["stderr"] = string(s.Record.Output(stage.Stdout)), string(s.Record.Output(stage.Stderr))
		made := []event.Path{}
		for _, f := range s.Record.Files {
			made = append(made, f.Path)
		}
		out["made"] = made
	}
	return out
}
