package run

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
)

// options are those of a pipeline without a daemon: none of its stages is cached.
func options(t *testing.T, yaml string) PipelineOptions {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stages are lines for sh")
	}
	p, err := pipeline.Decode("p.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return PipelineOptions{Answer: api.PipelineAnswer{ID: "p.yaml", Pipeline: p, Env: []string{"HOME"}}, Root: t.TempDir(),
		Env: []string{"HOME=/h", "PATH=/usr/bin:/bin"}, Width: 2, Now: time.Now}
}

func run(t *testing.T, o PipelineOptions) (rep *PipelineReport, done []StageReport, err error) {
	t.Helper()
	p, err := NewPipeline(o)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	p.Note = func(string, bool, string) {}
	p.Done = func(r StageReport, _ PipelineTotal) {
		mu.Lock()
		defer mu.Unlock()
		done = append(done, r)
	}
	rep, err = p.Run(t.Context())
	return rep, done, err
}

func TestPipelinePassesValues(t *testing.T) {
	o := options(t, `
args: {name: world}
stages:
  - {stage: last, run: [echo, "$STAGE_facts.greeting", "$ARG_name", "$CONTEXT_from", "$CONTEXT_tone", "$ENV_HOME"]}
  - {stage: facts, output: json, sets: {tone: .tone}, run: [echo, '{"greeting": "hello", "tone": "kind", "usage": {"input_tokens": 5}}']}
`)
	o.Context = map[string]string{"from": "me"}
	rep, done, err := run(t, o)
	if err != nil || !rep.OK || rep.Tokens != 5 {
		t.Fatalf("%+v, %v", rep, err)
	}
	if got := rep.Outputs["last"]; got != "hello world me kind /h" {
		t.Errorf("last printed %q", got)
	}
	if _, ok := rep.Outputs["facts"]; ok {
		t.Error("an output that another stage reads is not one of the pipeline")
	}
	if len(done) != 2 || done[0].Stage != "facts" || done[1].Stage != "last" {
		t.Errorf("%+v", done)
	}
}

func TestPipelineFailures(t *testing.T) {
	o := options(t, `
stages:
  - {stage: spare, required: false, run: "echo oh >&2; exit 3"}
  - {stage: first, run: [echo, "[$STAGE_spare]"]}
  - {stage: broken, output: json, run: [echo, "no $STAGE_first"]}
  - {stage: after, run: [echo, $STAGE_broken]}
`)
	rep, done, err := run(t, o)
	if err == nil || !strings.Contains(err.Error(), `stage broken: its output is not JSON`) || rep.OK {
		t.Fatalf("%+v, %v", rep, err)
	}
	var states []string
	for _, s := range rep.Stages {
		states = append(states, s.State)
	}
	if want := []string{"failed", "ran", "failed", "skipped"}; !slices.Equal(states, want) {
		t.Errorf("states %q, want %q", states, want)
	}
	if s := done[0]; !s.Optional || s.Exit != 3 || string(s.Stderr) != "oh\n" {
		t.Errorf("the optional stage ended as %+v", s)
	}
}

func TestPipelineIsRefused(t *testing.T) {
	const named = "args: {name: }\nstages: [{stage: a, run: [echo, $ARG_name]}]"
	for _, c := range []struct {
		yaml string
		args map[string]string
		want string
	}{
		{named, nil, "the argument name is missing"},
		{named, map[string]string{"name": "x", "nmae": "y"}, "nmae: the pipeline has no argument"},
		{"stages: [{stage: a, run: [echo, $CONTEXT_none]}]", nil, "unknown variable $CONTEXT_none"},
		{"stages: [{stage: a, template: none.md, run: [cat]}]", nil, "stage a: read template"},
		{"stages: [{stage: a, needs: [b], run: [x]}, {stage: b, needs: [a], run: [x]}]", nil, "wait for each other"},
	} {
		o := options(t, c.yaml)
		o.Args = c.args
		if _, err := NewPipeline(o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.yaml, err, c.want)
		}
	}
}

func TestPipelineEnds(t *testing.T) {
	o := options(t, "stages: [{stage: a, run: [echo, x]}]")
	p, err := NewPipeline(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rep, err := p.Run(ctx)
	if !errors.Is(err, context.Canceled) || rep.Stages[0].State != "skipped" {
		t.Errorf("%+v, %v", rep, err)
	}
}

// TestPipelineFilters: values of the session that no stage names are not given to any.
func TestPipelineFilters(t *testing.T) {
	o := options(t, "stages: [{stage: a, run: [echo, $CONTEXT_used, $STAGE_earlier]}]")
	o.Answer.Session = &stage.Session{Known: true,
		Outputs: []stage.Output{{Stage: "earlier", Value: []byte("out")}, {Stage: "other", Value: []byte("12345678")}},
		Context: map[string]json.RawMessage{"used": []byte(`"in"`), "unused": []byte(`"1234"`)}}
	rep, _, err := run(t, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := (ContextUse{Values: 2, Of: 4, Tokens: 3}); rep.Context != want || rep.Mode != "Session" {
		t.Errorf("%+v of mode %s, want %+v", rep.Context, rep.Mode, want)
	}
	if got := rep.Outputs["a"]; got != "in out" {
		t.Errorf("it printed %q", got)
	}
}

func TestOutputWithoutFence(t *testing.T) {
	for in, want := range map[string]string{"{}": "{}", "```json\n[1]\n```\n": "[1]\n", "```\n1```": "1"} {
		if got := withoutFence([]byte(in)); string(got) != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
