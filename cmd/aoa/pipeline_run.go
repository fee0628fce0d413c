package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/stage/pipeline"
	stagerun "github.com/aoa-dev/aoa/internal/stage/run"
)

// exitInterrupted is the exit code that shells report for a program that ctrl-C ended.
const exitInterrupted = 130

// runPipeline runs a pipeline, and prints the report or the output of the stages that no other stage reads.
func (a *app) runPipeline(ctx context.Context, r *stagerun.Pipeline, f *pipelineFlags) error {
	talk := f.talk
	talk.start(r.Mode(), len(r.Plan()))
	began := a.now()
	rep, err := r.Run(ctx)
	if rep == nil {
		_ = talk.bar.Exit()
		return err
	}
	talk.end(pipelineSummary(rep, a.now().Sub(began)))
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

// pipelineSummary is the last line of the progress.
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
		out += fmt.Sprintf("; %d of %d values of the session used, about %s tokens saved", c.Values, c.Of, count(c.Tokens))
	}
	return out
}
