package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/stage/pipeline"
	stagerun "github.com/aoa-dev/aoa/internal/stage/run"
)

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
