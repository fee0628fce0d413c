package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
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

// TestConfidence: scores that promise too much come down to what came true, in a repository that
// took no part, and a file counts when it is likelier than before.
func TestConfidence(t *testing.T) {
	var found []lessons
	for r := range 8 {
		l := lessons{Name: string(rune('a'+r)) + "/x"}
		for i := range 300 {
			a := asked{query: event.Query{Task: event.TaskPrompt, Session: "s", Prompt: "mend the parser of settings"}, opens: i%2 == 0}
			z := float64(i%30)/10 - 1
			p := 1 / (1 + math.Exp(-(z - 1))) // the score says z
			a.files = []candidate{{file: event.Path(rune(1000 + i)), text: 1, used: a.opens && float64(i*7%300)/300 < p,
				at: prefetch.FileFeatures{Class: prefetch.PromptOther, Logit: z, First: 1}}}
			l.asked = append(l.asked, a)
		}
		found = append(found, l)
	}
	f := fileOfPromises(found)
	if m := f.Measured; m["ece.prompt"] > .03 || m["promises.confident"] >= m["promises.ranked"] {
		t.Errorf("measured %v", m)
	}
	opens := f.Confidence.List.Opens.Probability(prefetch.ListFeaturesOf(found[0].asked[0].query, prefetch.Turn{}, nil))
	if opens < 0 || opens > 1 {
		t.Errorf("a turn opens files with %v", opens)
	}
	l := lessons{asked: []asked{found[0].asked[0], found[0].asked[0], found[0].asked[0]}}
	for i, z := range []float64{0, 1, .5} {
		l.asked[i].files = []candidate{{file: "a", at: prefetch.FileFeatures{Logit: z}}}
	}
	n := 0
	if l.promises(&prefetch.Confidence{}, func(*asked, *candidate, float64) { n++ }); n != 2 {
		t.Errorf("%d promises of a file at 0, 1 and .5, want 2", n)
	}
}

// TestMatrix: a solution solves, an inverse inverts, and what is not positive definite is refused.
func TestMatrix(t *testing.T) {
	a := [][]float64{{4, 1, .5}, {1, 3, -1}, {.5, -1, 2}}
	b := []float64{1, 2, 3}
	x, inverse := solve(a, b), invert(a)
	for i, row := range a {
		sum := 0.0
		for j, v := range row {
			sum += v * x[j]
			unit := 0.0
			for k := range a {
				unit += row[k] * inverse[k][j]
			}
			if want := truth(i == j); math.Abs(unit-want) > 1e-12 {
				t.Errorf("a·a⁻¹ is %v at %d, %d", unit, i, j)
			}
		}
		if math.Abs(sum-b[i]) > 1e-12 {
			t.Errorf("row %d of a·x is %v, want %v", i, sum, b[i])
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a matrix that is not positive definite was taken")
		}
	}()
	solve([][]float64{{0, 1}, {1, 0}}, []float64{1, 1})
}
