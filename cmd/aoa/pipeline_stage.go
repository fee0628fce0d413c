package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
	stagerun "github.com/aoa-dev/aoa/internal/stage/run"
)

// stage runs one stage of the pipeline and reports its result.
func (r *pipelineRun) stage(ctx context.Context, i int) error {
	s := &r.p.Stages[i]
	rep := stageReport{Stage: s.Name, State: "failed"}
	r.line.begin(s.Name)
	out, err := r.do(ctx, i, s, &rep)
	if err != nil {
		rep.Why = err.Error()
	}
	r.mu.Lock()
	r.reports[i] = rep
	if err != nil && !s.Must() {
		for _, name := range pipeline.OutputNames(s.Name, s.Prompt) {
			r.scope.Stages[name], r.scope.Text[name] = nil, false
		}
	}
	tokens := r.tokens
	r.mu.Unlock()
	r.line.done(rep, tokens)
	if err != nil {
		if !s.Must() {
			r.talk("stage %s failed, and is not required: %v", s.Name, err)
		}
		if out != nil {
			r.tail(s.Name, out)
		}
	}
	return err
}

// tailLines is how many lines of a failed stage's standard error are printed.
const tailLines = 20

func (r *pipelineRun) tail(name string, rec *stage.Record) {
	lines := strings.Split(strings.TrimRight(string(rec.Output(stage.Stderr)), "\n"), "\n")
	for _, l := range lines[max(0, len(lines)-tailLines):] {
		if l != "" {
			fmt.Fprintf(r.err, "%s| %s\n", name, harmless(l))
		}
	}
}

// do resolves a stage, takes its result from the cache or the interrupted run, or runs it. It returns a record only for a failure.
func (r *pipelineRun) do(ctx context.Context, i int, s *pipeline.Stage, rep *stageReport) (*stage.Record, error) {
	st, err := r.resolve(i, s)
	if err != nil {
		return nil, err
	}
	if !s.Cache.Enabled {
		key, err := r.key(ctx, st)
		if err != nil {
			return nil, err
		}
		if rep.Key = key; r.resumes(s, key) && stage.Made(r.root, st.Request.Outputs) {
			rep.State = "resumed"
			return nil, nil
		}
		st.Client = nil
	}
	var value any
	st.Check = func(rec *stage.Record) (err error) {
		value, err = outputOf(s, rec)
		return err
	}
	if err := st.Run(ctx); err != nil {
		return nil, stageFailure("stage "+st.Request.Stage, err)
	}
	rep.Exit, rep.Duration = st.Code, st.Took.Milliseconds()
	rep.State = "ran"
	if !st.Ran {
		rep.State, rep.Saved = "unchanged", rep.Duration
	}
	if st.Turn != nil {
		rep.Key, rep.Why = st.Turn.Key, st.Turn.Miss
	}
	if st.Kept.Why != "" {
		rep.Why = st.Kept.Why
	}
	switch {
	case st.Record == nil:
		rep.State = "failed"
		return nil, errors.New(st.Kept.Why)
	case st.Code != 0:
		rep.State = "failed"
		return st.Record, fmt.Errorf("exit code %d", st.Code)
	}
	if err := st.Check(st.Record); err != nil {
		rep.State = "failed"
		return st.Record, err
	}
	return nil, r.keepOutput(ctx, s, value, st.Ran, rep.Key)
}

// key is the key that a stage without a cache would have. An interrupted run continues after the stages whose keys match.
func (r *pipelineRun) key(ctx context.Context, st *stagerun.Step) (string, error) {
	if r.flags.session == "" {
		return "", nil
	}
	req := st.Request
	req.Tool = api.StageTool{} // starting the tool would take longer than it saves here
	ans, err := api.Call(ctx, r.client, api.StageWhy, req)
	return ans.Key, err
}

// resumes reports whether the run that this one continues has finished the stage with the same inputs. The files that it made still
// exist, and the session has its output.
func (r *pipelineRun) resumes(s *pipeline.Stage, key string) bool {
	had := r.ans.Session
	if had == nil || had.State == stage.Done || key == "" || had.Steps[s.Name] != key || r.flags.refresh {
		return false
	}
	return slices.ContainsFunc(had.Outputs, func(o api.PipelineOutput) bool { return o.Stage == s.Name && o.Prompt == s.Prompt })
}

// outputOf returns the standard output of a stage as a value.
func outputOf(s *pipeline.Stage, rec *stage.Record) (any, error) {
	raw := rec.Output(stage.Stdout)
	if s.Output != "json" {
		return strings.TrimRight(string(raw), "\r\n"), nil
	}
	var v any
	if err := json.Unmarshal(withoutFence(raw), &v); err != nil {
		return nil, fmt.Errorf("its output is not JSON: %w in %q", err, clip(strings.TrimSpace(string(raw)), 80))
	}
	return v, nil
}

// withoutFence removes the Markdown fence that models put around JSON.
func withoutFence(b []byte) []byte {
	b = bytes.TrimSpace(b)
	if rest, ok := bytes.CutPrefix(b, []byte("```")); ok {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
		return bytes.TrimSuffix(bytes.TrimSpace(rest), []byte("```"))
	}
	return b
}

// keepOutput puts the output of a stage into the scope and the session.
func (r *pipelineRun) keepOutput(ctx context.Context, s *pipeline.Stage, value any, ran bool, key string) error {
	sets := map[string]json.RawMessage{}
	changed := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Sets)) {
		v, err := pipeline.Pick(value, s.Sets[name])
		if err != nil {
			return fmt.Errorf("sets %s: %w", name, err)
		}
		if sets[name], err = json.Marshal(v); err != nil {
			return fmt.Errorf("sets %s: %w", name, err)
		}
		changed[name] = v
	}
	var tokens int64
	if ran {
		tokens = tokensOf(value)
	}
	r.mu.Lock()
	for _, name := range pipeline.OutputNames(s.Name, s.Prompt) {
		r.scope.Stages[name], r.scope.Text[name] = value, s.Output != "json"
	}
	maps.Copy(r.scope.Context, changed)
	r.tokens += tokens
	r.mu.Unlock()
	out := &api.PipelineOutput{Stage: s.Name, Prompt: s.Prompt, JSON: s.Output == "json"}
	if out.JSON {
		out.Value, _ = json.Marshal(value) // a value from JSON
	} else {
		out.Value = []byte(pipeline.Text(value))
	}
	return r.report(ctx, api.PipelineStep{Output: out, Key: key, Context: sets, Tokens: tokens})
}

// tokensOf returns the number of tokens that an agent reports in its output, 0 if it reports none.
func tokensOf(v any) int64 {
	fields, _ := v.(map[string]any)
	used, _ := fields["usage"].(map[string]any)
	var n float64
	for _, k := range []string{"input_tokens", "output_tokens"} {
		f, _ := used[k].(float64)
		n += f
	}
	return int64(n)
}

// resolve makes the step of a stage. Variables are replaced by their values; nothing else of the session is in it.
func (r *pipelineRun) resolve(i int, s *pipeline.Stage) (*stagerun.Step, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	scope := r.scope
	scope.Order = nil
	for _, n := range r.plan.Before(i) {
		scope.Order = append(scope.Order, r.p.Stages[n].Name)
	}
	scope.Order = append(scope.Order, r.scope.Order...)
	inputs, err := scope.Value(map[string]any(s.Inputs))
	if err != nil {
		return nil, err
	}
	req := api.StageRequest{Stage: s.ID(r.p.Name), Model: r.model(s), TTL: pipeline.DefaultTTL, Refresh: r.flags.refresh,
		Inputs: map[string]string{}, Env: map[string]*string{}}
	if s.Cache.TTL != nil {
		req.TTL = *s.Cache.TTL
	}
	env := slices.Clone(r.env)
	for k, v := range inputs.(map[string]any) {
		req.Inputs[k] = pipeline.Text(v)
		env = append(env, "INPUT_"+k+"="+req.Inputs[k])
	}
	for _, k := range s.Cache.Env {
		req.Env[k] = r.variable(k)
	}
	if s.Run.Shell != "" {
		req.Command = []string{"sh", "-c", s.Run.Shell}
	}
	for _, list := range []struct {
		from []string
		to   *[]string
	}{{s.Run.Words, &req.Command}, {s.Cache.Files, &req.Deps}, {s.Makes, &req.Outputs}} {
		for _, w := range list.from {
			w, err := scope.Expand(w)
			if err != nil {
				return nil, err
			}
			*list.to = append(*list.to, w)
		}
	}
	req.Shown = clip(redact.Text(strings.Join(req.Command, " ")), 200)
	stdin, err := scope.Expand(r.texts[s.Name])
	if err != nil {
		return nil, err
	}
	if req.Text = stdin; stdin == "" {
		raw, err := json.Marshal(map[string]any{"inputs": inputs})
		if err != nil {
			return nil, fmt.Errorf("inputs: %w", err)
		}
		stdin = string(raw) + "\n"
	}
	if req.Tool, err = r.tool(s.Tool); err != nil {
		return nil, err
	}
	return &stagerun.Step{Client: r.client, Request: req, Root: r.root, Dir: r.root, Env: env, In: strings.NewReader(stdin), Now: r.now,
		Listener: &stageTalk{app: r.app, name: req.Stage, quiet: true}}, nil
}

// model is the model of the stage, else of its prompt, else of its agent.
func (r *pipelineRun) model(s *pipeline.Stage) string {
	for _, m := range []string{s.Model, r.ans.Prompts[s.Prompt].Model, r.ans.Agents[s.Agent].Model} {
		if m != "" {
			return m
		}
	}
	return ""
}
