package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestJudges: no command that fits reads a repository for judging alone, neither its traces nor
// examples kept of them.
func TestJudges(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		fault.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	commands := map[string]func(context.Context, []string) error{"fit": runFit, "calibrate": runCalibrate, "changes": runChanges}
	refused := func(want string) {
		t.Helper()
		for name, run := range commands {
			err := run(context.Background(), []string{"-traces", dir, "-out", filepath.Join(dir, "out.json")})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
	refused("judge.txt") // there is no list
	put("judge.txt", "own+judge\nown+other.js\ngorilla+mux\n")
	for _, file := range []string{"own+judge.jsonl.gz", "own+other.js.commits.jsonl"} {
		put(file, "not a row")
		refused("is for judging alone")
		fault.Check(t, os.Remove(filepath.Join(dir, file)))
	}
	refused("gorilla/mux is for judging alone") // named by the program's own list of histories
	kept := filepath.Join(dir, "kept")
	fault.Check(t, keep(kept+".fits", &set{Repos: []string{"own/judge"}}))
	_, err := options{traces: dir, kept: kept}.keep(".fits", nil)
	if err == nil || !strings.Contains(err.Error(), "own/judge is for judging alone") {
		t.Errorf("kept examples: %v", err)
	}
}
