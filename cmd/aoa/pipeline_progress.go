package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/schollz/progressbar/v3"
)

// pipelineProgress shows how far a pipeline is: a line for each stage that ended and, on a terminal, a bar below.
type pipelineProgress struct {
	w    io.Writer
	mode string
	all  int
	bar  *progressbar.ProgressBar

	mu      sync.Mutex
	running []string
	ended   int
}

func newPipelineProgress(a *app, mode string, all int, quiet bool) *pipelineProgress {
	if quiet {
		silent := *a
		silent.err = io.Discard
		a = &silent
	}
	l := &pipelineProgress{w: a.err, mode: mode, all: all, bar: a.progress(mode, "stages")}
	l.bar.ChangeMax(all)
	return l
}

func (l *pipelineProgress) begin(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = append(l.running, name)
	l.describe()
}

func (l *pipelineProgress) describe() {
	l.bar.Describe("aoa: " + l.mode + " " + harmless(clip(strings.Join(l.running, ", "), 40)))
}

func (l *pipelineProgress) done(r stageReport, tokens int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = slices.DeleteFunc(l.running, func(n string) bool { return n == r.Stage })
	l.ended++
	state := r.State + " " + millis(r.Duration)
	switch r.State {
	case "unchanged":
		state = "unchanged, " + millis(r.Saved) + " saved"
	case "resumed":
		state = "done by the interrupted run"
	case "failed":
		state = "failed"
	}
	l.print(fmt.Sprintf("%d/%d | %s | %s | %s tokens", l.ended, l.all, r.Stage, state, count(tokens)))
	_ = l.bar.Set(l.ended)
	l.describe()
}

// print writes a line above the bar; mu is held.
func (l *pipelineProgress) print(text string) {
	_ = l.bar.Clear()
	fmt.Fprintf(l.w, "%s %s\n", l.mode, harmless(text))
}

// end removes the bar and writes the last line.
func (l *pipelineProgress) end(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.bar.Exit()
	l.print(text)
}
