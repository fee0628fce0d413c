package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/regularfile"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
)

// pipelineRun is one run of a pipeline.
type pipelineRun struct {
	*app
	client *api.Client
	root   string
	flags  *pipelineFlags
	ans    api.PipelineAnswer
	mode   string

	p     pipeline.Pipeline
	plan  pipeline.Plan
	texts map[string]string          // stage → its prompt or template
	scope pipeline.Scope             // its maps grow while it runs; mu guards them
	given map[string]json.RawMessage // of --context
	saved contextUse

	mu      sync.Mutex
	reports []stageReport // by stage
	tokens  int64
	line    *pipelineProgress
}

// stageReport is the result of a stage.
type stageReport struct {
	Stage    string `json:"stage"`
	State    string `json:"state"` // unchanged, ran, resumed, failed, skipped
	Key      string `json:"key,omitempty"`
	Exit     int    `json:"exit"`
	Duration int64  `json:"duration_ms"`
	Saved    int64  `json:"saved_ms,omitempty"`
	Why      string `json:"why,omitempty"` // why it ran, failed or was not kept
}

// contextUse says how many of the session's values the pipeline uses.
type contextUse struct {
	Values int   `json:"values"`
	Of     int   `json:"of"`
	Tokens int64 `json:"tokens_saved"`
}

var argName = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

// prepare fills the scope, reads templates, orders the stages and checks every variable that can be known before the run.
func (r *pipelineRun) prepare(positional []string) error {
	if err := r.arguments(positional); err != nil {
		return err
	}
	r.scope.Env, r.scope.Allowed = map[string]string{}, r.ans.Env
	for _, name := range r.ans.Env {
		if v := r.variable(name); v != nil {
			r.scope.Env[name] = *v
		}
	}
	if err := r.loadSession(); err != nil {
		return err
	}
	r.texts = map[string]string{}
	for i := range r.p.Stages {
		text, err := r.text(&r.p.Stages[i])
		if err != nil {
			return err
		}
		r.texts[r.p.Stages[i].Name] = text
	}
	args, err := namedValues("--arg", r.flags.args)
	if err != nil {
		return err
	}
	known := r.p.ArgNames(r.texts)
	for name := range args {
		if !slices.Contains(known, name) {
			return usage("--arg %s: the pipeline has no argument of that name; it has: %s", name, strings.Join(known, ", "))
		}
	}
	if r.plan, err = r.p.Plan(r.texts); err != nil {
		return err
	}
	if err := r.p.Known(r.texts, &r.scope); err != nil {
		return err
	}
	r.filter()
	return nil
}

func (r *pipelineRun) arguments(positional []string) error {
	args, err := namedValues("--arg", r.flags.args)
	if err != nil {
		return err
	}
	for i, v := range positional {
		args[strconv.Itoa(i+1)] = v
	}
	for _, name := range slices.Sorted(maps.Keys(r.p.Args)) {
		if _, ok := args[name]; ok {
			continue
		}
		if r.p.Args[name] == nil {
			return fmt.Errorf("the argument %s is missing; give it with --arg %s=VALUE", name, name)
		}
		args[name] = *r.p.Args[name]
	}
	r.scope.Args = args
	return nil
}

// loadSession adds the values of the session and of --context to the scope.
func (r *pipelineRun) loadSession() error {
	r.scope.Stages, r.scope.Text, r.scope.Context = map[string]any{}, map[string]bool{}, map[string]any{}
	given, err := namedValues("--context", r.flags.context)
	if err != nil {
		return err
	}
	if s := r.ans.Session; s != nil {
		for _, o := range s.Outputs {
			var v any = string(o.Value)
			if o.JSON {
				v = decoded(o.Value)
			}
			for _, name := range pipeline.OutputNames(o.Stage, o.Prompt) {
				r.scope.Stages[name], r.scope.Text[name] = v, !o.JSON
			}
			r.scope.Order = append([]string{o.Stage}, r.scope.Order...)
		}
		for k, v := range s.Context {
			r.scope.Context[k] = decoded(v)
		}
	}
	r.given = map[string]json.RawMessage{}
	for k, v := range given {
		var value any = v
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			if err := json.Unmarshal([]byte(v), &value); err != nil {
				return fmt.Errorf("--context %s: not JSON: %w", k, err)
			}
		}
		r.scope.Context[k] = value
		r.given[k], _ = json.Marshal(value) // a value from JSON, or a string
	}
	return nil
}

// text is the standard input of a stage, before its variables are replaced: the agent's text, then the prompt's or template's.
func (r *pipelineRun) text(s *pipeline.Stage) (string, error) {
	var parts []string
	if s.Agent != "" {
		parts = append(parts, r.ans.Agents[s.Agent].Body)
	}
	if s.Prompt != "" {
		parts = append(parts, r.ans.Prompts[s.Prompt].Body)
	}
	if s.Template != "" {
		name, err := r.scope.Expand(s.Template)
		if err != nil {
			return "", fmt.Errorf("stage %s: template: %w", s.Name, err)
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(r.root, filepath.FromSlash(name))
		}
		data, err := regularfile.Read(name, regularfile.FollowLinks, maxTemplate)
		if err != nil {
			return "", fmt.Errorf("stage %s: read template: %w", s.Name, err)
		}
		parts = append(parts, string(data))
	}
	return strings.Join(parts, "\n"), nil
}

// maxTemplate bounds a template, in bytes.
const maxTemplate = 16 << 20

// filter removes from the scope what the pipeline does not refer to. It counts the tokens of the removed values, at four bytes each.
func (r *pipelineRun) filter() {
	names := r.p.ContextNames(r.texts, func(n string) bool { _, ok := r.scope.Context[n]; return ok })
	stages := r.p.StageNames(r.texts)
	var left int64
	if r.ans.Session != nil {
		r.saved.Of = len(r.scope.Context) + len(r.ans.Session.Outputs)
		for _, o := range r.ans.Session.Outputs {
			if slices.ContainsFunc(pipeline.OutputNames(o.Stage, o.Prompt), func(n string) bool { return stages[n] }) {
				r.saved.Values++
			} else {
				left += int64(len(o.Value))
			}
		}
	}
	maps.DeleteFunc(r.scope.Context, func(k string, v any) bool {
		if !names[k] {
			left += int64(len(pipeline.Text(v)))
		}
		return !names[k]
	})
	r.saved.Values += len(r.scope.Context)
	r.saved.Tokens = left / 4
}

// run runs the stages and prints what the last ones printed.
func (r *pipelineRun) run(ctx context.Context) error {
	r.reports = make([]stageReport, len(r.p.Stages))
	for i := range r.reports {
		r.reports[i] = stageReport{Stage: r.p.Stages[i].Name, State: "skipped"}
	}
	began := r.now()
	if err := r.report(ctx, api.PipelineStep{State: stage.Running, Context: r.given}); err != nil {
		return err
	}
	r.line = newPipelineProgress(r.app, r.mode, len(r.p.Stages), r.flags.quiet)
	results := r.plan.Run(ctx, r.flags.width, func(i int) bool { return r.p.Stages[i].Must() }, r.stage)
	r.line.end(r.summary(r.now().Sub(began)))
	var failed error
	for i, err := range results {
		if err != nil && r.p.Stages[i].Must() && !errors.Is(err, pipeline.ErrSkipped) && failed == nil {
			failed = fmt.Errorf("stage %s: %w", r.p.Stages[i].Name, err)
		}
	}
	state := stage.Done
	if failed != nil {
		state = stage.Failed
	}
	if ctx.Err() != nil { // the next run continues here
		return fail(exitInterrupted, r.continueHint(), "interrupted")
	}
	if err := r.report(ctx, api.PipelineStep{State: state}); err != nil && failed == nil {
		return err
	}
	if err := r.print(failed); err != nil {
		return err
	}
	if failed != nil {
		return fail(exitFailed, r.continueHint(), "%v", failed)
	}
	return nil
}

// exitInterrupted is the exit code that shells report for a program that ctrl-C ended.
const exitInterrupted = 130

// continueHint says how to continue.
func (r *pipelineRun) continueHint() string {
	if r.flags.session == "" {
		return "with --session, the next run continues where this one stopped"
	}
	return "the same command continues where this one stopped"
}

// report reports to the session, if there is one.
func (r *pipelineRun) report(ctx context.Context, p api.PipelineStep) error {
	if r.flags.session == "" {
		return nil
	}
	p.Session, p.ID = r.flags.session, r.ans.ID
	_, err := api.Call(ctx, r.client, api.PipelineProgress, p)
	return err
}

// summary is the last line of the progress.
func (r *pipelineRun) summary(d time.Duration) string {
	counts := map[string]int{}
	var saved int64
	for _, s := range r.reports {
		counts[s.State]++
		saved += s.Saved
	}
	var parts []string
	for _, state := range []string{"ran", "unchanged", "resumed", "failed", "skipped"} {
		if n := counts[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	out := fmt.Sprintf("%s: %s in %s", r.p.Name, strings.Join(parts, ", "), length(d))
	if saved > 0 {
		out += ", " + millis(saved) + " saved"
	}
	if r.tokens > 0 {
		out += fmt.Sprintf(", %s tokens", count(r.tokens))
	}
	if r.saved.Of > 0 {
		out += fmt.Sprintf("; %d of %d values of the session used, about %s tokens saved", r.saved.Values, r.saved.Of,
			count(r.saved.Tokens))
	}
	return out
}

// print prints the report, or the output of the stages that no other stage reads.
func (r *pipelineRun) print(failed error) error {
	read := map[int]bool{}
	for _, needs := range r.plan.Needs {
		for _, n := range needs {
			read[n] = true
		}
	}
	outputs := map[string]any{}
	for i, s := range r.p.Stages {
		if st := r.reports[i].State; !read[i] && st != "skipped" && st != "failed" {
			outputs[s.Name] = r.scope.Stages[s.Name]
		}
	}
	rep := map[string]any{"pipeline": r.p.Name, "session_id": r.flags.session, "mode": strings.Fields(r.mode)[1], "stages": r.reports,
		"outputs": outputs, "context": r.saved, "tokens": r.tokens, "ok": failed == nil}
	return r.answer(rep, func() {
		for i, s := range r.p.Stages {
			if v, ok := outputs[s.Name]; ok && !read[i] {
				if text := pipeline.Text(v); text != "" {
					fmt.Fprintln(r.out, strings.TrimRight(text, "\n"))
				}
			}
		}
	})
}
