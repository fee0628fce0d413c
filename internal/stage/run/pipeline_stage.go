package run

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
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
)

// Run runs the stages. The error is of the first stage in the file that failed and is required, or
// of ctx: then the next run of the session continues. Without a report it is of the daemon, which
// could not store something in the session.
func (r *Pipeline) Run(ctx context.Context) (*PipelineReport, error) {
	if err := r.report(ctx, stage.Progress{State: stage.Running, Context: r.given}); err != nil {
		return nil, err
	}
	results := r.plan.Run(ctx, width, func(i int) bool { return r.p.Stages[i].Must() }, r.stage)
	var failed error
	for i, err := range results {
		if err != nil && r.p.Stages[i].Must() && !errors.Is(err, pipeline.ErrSkipped) && failed == nil {
			failed = fmt.Errorf("stage %s: %w", r.p.Stages[i].Name, err)
		}
	}
	r.rep.OK, r.rep.Tokens = failed == nil, r.sum.Tokens
	r.outputs()
	if ctx.Err() != nil {
		return &r.rep, ctx.Err()
	}
	state := stage.Done
	if failed != nil {
		state = stage.Failed
	}
	if err := r.report(ctx, stage.Progress{State: state}); err != nil && failed == nil {
		return nil, err
	}
	return &r.rep, failed
}

// outputs adds the outputs that no other stage reads to the report.
func (r *Pipeline) outputs() {
	read := map[int]bool{}
	for _, needs := range r.plan.Needs {
		for _, n := range needs {
			read[n] = true
		}
	}
	for i, s := range r.rep.Stages {
		if !read[i] && s.State != "skipped" && s.State != "failed" {
			r.rep.Outputs[s.Stage] = r.scope.Stages[s.Stage]
		}
	}
}

// report reports to the session, if there is one.
func (r *Pipeline) report(ctx context.Context, p stage.Progress) error {
	if r.o.Session == "" {
		return nil
	}
	p.Session, p.Pipeline = r.o.Session, r.o.Answer.ID
	_, err := api.Call(ctx, r.o.Client, api.PipelineProgress, p)
	return err
}

// stage runs one stage of the pipeline and reports its result.
func (r *Pipeline) stage(ctx context.Context, i int) error {
	s := &r.p.Stages[i]
	rep := StageReport{Stage: s.Name, State: "failed", Optional: !s.Must()}
	out, err := r.do(ctx, i, s, &rep)
	if err != nil {
		rep.Why = err.Error()
	}
	if out != nil {
		rep.Stderr = out.Output(stage.Stderr)
	}
	r.mu.Lock()
	r.rep.Stages[i] = rep
	if err != nil && rep.Optional {
		for _, name := range pipeline.OutputNames(s.Name, s.Prompt) {
			r.scope.Stages[name], r.scope.Text[name] = nil, false
		}
	}
	r.sum.Ended++
	sum := r.sum
	r.mu.Unlock()
	r.Done(rep, sum)
	return err
}

// do resolves a stage, and takes its result from the cache or from the interrupted run, or runs it.
// It returns a record only for a failure.
func (r *Pipeline) do(ctx context.Context, i int, s *pipeline.Stage, rep *StageReport) (*stage.Record, error) {
	st, err := r.resolve(i, s)
	if err != nil {
		return nil, err
	}
	if !s.Cache.Enabled {
		key, err := r.key(ctx, st)
		if err != nil {
			return nil, err
		}
		if rep.Key = key; r.resumes(s, key) && stage.Made(r.o.Root, st.Request.Outputs) {
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
		return nil, err
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

// key returns the key that a stage would have in the cache even if it is not cached. A run that
// continues an interrupted one skips the stages whose keys are the same.
func (r *Pipeline) key(ctx context.Context, st *Step) (string, error) {
	if r.o.Session == "" {
		return "", nil
	}
	req := st.Request
	req.Tool = stage.Tool{} // starting the tool would take longer than it saves here
	ans, err := api.Call(ctx, r.o.Client, api.StageWhy, req)
	return ans.Key, err
}

// resumes reports whether the run that this one continues has finished the stage with the same
// inputs, the files that it made still exist, and the session has its output.
func (r *Pipeline) resumes(s *pipeline.Stage, key string) bool {
	had := r.o.Answer.Session
	if had == nil || had.State == stage.Done || key == "" || r.o.Refresh {
		return false
	}
	return slices.ContainsFunc(had.Outputs, func(o stage.Output) bool {
		return o.Stage == s.Name && o.Prompt == s.Prompt && o.Key == key
	})
}

// outputOf returns the standard output of a stage as a value.
func outputOf(s *pipeline.Stage, rec *stage.Record) (any, error) {
	raw := rec.Output(stage.Stdout)
	if s.Output != "json" {
		return strings.TrimRight(string(raw), "\r\n"), nil
	}
	var v any
	if err := json.Unmarshal(withoutFence(raw), &v); err != nil {
		return nil, fmt.Errorf("its output is not JSON: %w in %q", err, event.Clip(strings.TrimSpace(string(raw)), 80))
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

// keepOutput adds the output of a stage to the scope and the session.
func (r *Pipeline) keepOutput(ctx context.Context, s *pipeline.Stage, value any, ran bool, key string) error {
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
	r.sum.Tokens += tokens
	r.mu.Unlock()
	out := &stage.Output{Stage: s.Name, Prompt: s.Prompt, JSON: s.Output == "json", Key: key}
	if out.JSON {
		out.Value, _ = json.Marshal(value) // a value from JSON
	} else {
		out.Value = []byte(pipeline.Text(value))
	}
	return r.report(ctx, stage.Progress{Output: out, Context: sets, Tokens: tokens})
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

// resolve returns the Step of a stage with variables replaced by their values. Nothing else of the
// session is in it.
func (r *Pipeline) resolve(i int, s *pipeline.Stage) (*Step, error) {
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
	req := stage.Request{Stage: s.ID(r.p.Name), Model: s.Model, TTL: pipeline.DefaultTTL, Refresh: r.o.Refresh,
		Inputs: map[string]string{}, Env: map[string]*string{}}
	if s.Cache.TTL != nil {
		req.TTL = *s.Cache.TTL
	}
	env := slices.Clone(r.o.Env)
	for k, v := range inputs.(map[string]any) {
		req.Inputs[k] = pipeline.Text(v)
		env = append(env, "INPUT_"+k+"="+req.Inputs[k])
	}
	for _, k := range s.Cache.Env {
		req.Env[k] = Variable(r.o.Env, k)
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
	req.Shown = event.Clip(redact.Text(strings.Join(req.Command, " ")), 200)
	stdin, err := scope.Expand(s.Text)
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
	if req.Tool, err = FindTool(s.Tool, r.o.Env); err != nil {
		return nil, err
	}
	return &Step{Client: r.o.Client, Request: req, Root: r.o.Root, Dir: r.o.Root, Env: env, In: strings.NewReader(stdin),
		Now: r.o.Now, Note: func(problem bool, text string) { r.Note(s.Name, problem, text) }}, nil
}
