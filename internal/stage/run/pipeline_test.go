package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// options are those of a pipeline without a daemon: none of its stages is cached.
func options(t *testing.T, yaml string) PipelineOptions {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stages are lines for sh")
	}
	p := fault.Must(pipeline.Decode("p.yaml", []byte(yaml)))
	return PipelineOptions{Answer: api.PipelineAnswer{ID: "p.yaml", Pipeline: p, Env: []string{"HOME"}}, Root: t.TempDir(),
		Env: []string{"HOME=/h", "PATH=/usr/bin:/bin"}, Now: time.Now}
}

func run(t *testing.T, o PipelineOptions) (rep *PipelineReport, done []StageReport, err error) {
	t.Helper()
	p := fault.Must(NewPipeline(o))
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

func TestPipelineEnds(t *testing.T) {
	o := options(t, "stages: [{stage: a, run: [echo, x]}]")
	p := fault.Must(NewPipeline(o))
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
	fault.Check(t, err)
	if want := (ContextUse{Values: 2, Of: 4, Tokens: 3}); rep.Context != want || rep.Mode != "Session" {
		t.Errorf("%+v of mode %s, want %+v", rep.Context, rep.Mode, want)
	}
	fault.Same(t, "it printed", rep.Outputs["a"], "in out")
}

func TestOutputWithoutFence(t *testing.T) {
	for in, want := range map[string]string{"{}": "{}", "```json\n[1]\n```\n": "[1]\n", "```\n1```": "1"} {
		if got := withoutFence([]byte(in)); string(got) != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// TestResumes: a run goes on after the stages that an unfinished one has done with the same inputs,
// and not otherwise.
func TestResumes(t *testing.T) {
	for _, c := range []struct {
		state, key string
		refresh    bool
		want       bool
	}{{stage.Running, "k", false, true}, {stage.Failed, "k", false, true}, {stage.Done, "k", false, false},
		{stage.Running, "other", false, false}, {stage.Running, "", false, false}, {stage.Running, "k", true, false}} {
		o := options(t, "stages: [{stage: a, run: [echo, x]}]")
		o.Answer.Session, o.Refresh = &stage.Session{Run: stage.Run{State: c.state},
			Outputs: []stage.Output{{Stage: "b", Key: c.key}, {Stage: "a", Key: "k"}, {Stage: "a"}}}, c.refresh
		r := fault.Must(NewPipeline(o))
		fault.Same(t, fmt.Sprintf("%+v", c), r.resumes(&pipeline.Stage{Name: "a"}, c.key), c.want)
	}
}
