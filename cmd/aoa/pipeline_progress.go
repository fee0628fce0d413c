package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/schollz/progressbar/v3"

	stagerun "github.com/aoa-dev/aoa/internal/stage/run"
)

// modes are how progress lines begin, by the mode of the pipeline.
var modes = map[string]string{"Live": "● Live", "Session": "⟳ Session"}

// pipelineTalk says on stderr how far a pipeline is: a line for each stage that ended and, on a terminal, a bar below.
type pipelineTalk struct {
	*app
	w    io.Writer // for progress
	mode string
	all  int
	bar  *progressbar.ProgressBar

	mu      sync.Mutex
	running []string
}

func (a *app) pipelineTalk(quiet bool) *pipelineTalk {
	t := &pipelineTalk{app: a, w: a.err}
	if quiet {
		t.w = io.Discard
	}
	return t
}

// start shows the bar of a run with so many stages.
func (t *pipelineTalk) start(mode string, all int) {
	silent := *t.app
	silent.err = t.w
	t.mode, t.all, t.bar = modes[mode], all, silent.progress(modes[mode], "stages")
	t.bar.ChangeMax(all)
}

// Step is what says what one stage does: only problems.
func (t *pipelineTalk) Step(stage string) stagerun.Listener {
	return &stageTalk{app: t.app, name: stage, quiet: true}
}

// Begin adds a stage to the bar.
func (t *pipelineTalk) Begin(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = append(t.running, name)
	t.describe()
}

func (t *pipelineTalk) describe() {
	t.bar.Describe("aoa: " + t.mode + " " + harmless(clip(strings.Join(t.running, ", "), 40)))
}

// tailLines is how many lines of a failed stage's standard error are printed.
const tailLines = 20

// Done prints the result of a stage. A failed one prints the end of its standard error.
func (t *pipelineTalk) Done(r stagerun.StageReport, sum stagerun.PipelineTotal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = slices.DeleteFunc(t.running, func(n string) bool { return n == r.Stage })
	state := r.State + " " + millis(r.Duration)
	switch r.State {
	case "unchanged":
		state = "unchanged, " + millis(r.Saved) + " saved"
	case "resumed":
		state = "done by the interrupted run"
	case "failed":
		state = "failed"
	}
	t.print(fmt.Sprintf("%d/%d | %s | %s | %s tokens", sum.Ended, t.all, r.Stage, state, count(sum.Tokens)))
	_ = t.bar.Set(sum.Ended)
	t.describe()
	if r.State == "failed" && r.Optional {
		t.talk("stage %s failed, and is not required: %v", r.Stage, r.Why)
	}
	lines := strings.Split(strings.TrimRight(string(r.Stderr), "\n"), "\n")
	for _, l := range lines[max(0, len(lines)-tailLines):] {
		if l != "" {
			fmt.Fprintf(t.err, "%s| %s\n", r.Stage, harmless(l))
		}
	}
}

// print writes a line above the bar; mu is held.
func (t *pipelineTalk) print(text string) {
	_ = t.bar.Clear()
	fmt.Fprintf(t.w, "%s %s\n", t.mode, harmless(text))
}

// end removes the bar and writes the last line.
func (t *pipelineTalk) end(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = t.bar.Exit()
	t.print(text)
}
