package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// teaching is a set in which signal 4 tells the right file, but of each third question, and signal
// 6 tells nothing.
func teaching() *set {
	s := &set{Repos: []string{"a/a", "b/b"}, Signals: rank.SignalNames()}
	for i := range 120 {
		q := question{Repo: i % 2, Task: event.TaskPrompt, Truth: 1}
		for k := range 10 {
			right := k == i%10
			has := 0.0
			if right && i%3 > 0 || i%3 == 0 && k == (i/3)%10 {
				has = .9
			}
			values := make([]float64, len(s.Signals))
			values[0], values[4], values[6] = 1, has, float64(k%3)/3
			f := newFile(event.Path(fmt.Sprint(k)), values, right)
			q.Files = append(q.Files, f)
		}
		s.Questions = append(s.Questions, q)
	}
	return s
}

func TestFit(t *testing.T) {
	s := teaching()
	all, fitted := leaveOneOut(s)
	if m := measureLeft(s, fitted); m["macro"]["T1.any5"] < .75 || m["macro"]["T1.any5"] < m["low"]["T1.any5"] ||
		m["a/a"]["T1.n"] != 60 {
		t.Errorf("%v: want the right file among five", m)
	}
	for group, w := range all.w {
		if slices.ContainsFunc(w, math.IsNaN) {
			t.Errorf("%s, of which there are no questions, has weights %v", group, w)
		}
	}
	again, _ := leaveOneOut(s)
	for i, x := range all.w["prompt"] {
		if again.w["prompt"][i] != x {
			t.Fatalf("weight %d: %v, then %v", i, x, again.w["prompt"][i])
		}
	}
}

// TestWorth: the signal that tells the right file is worth most, and what is lost without it is
// seen.
func TestWorth(t *testing.T) {
	s := teaching()
	g, one := groups(s.Signals)[0], groups(s.Signals)[0]
	var out strings.Builder
	gone := s.keepMost(&out, []*group{one}, 1)
	if first, _, _ := strings.Cut(out.String(), "\n"); !one.use[4] || !strings.Contains(first, s.Signals[4]) {
		t.Errorf("the first is %q", first)
	}
	if slices.Contains(gone, s.Signals[4]) || len(gone) != len(s.Signals)-1 {
		t.Errorf("%v: want all signals but the right one", gone)
	}
	none := *g
	none.use = make([]bool, len(g.use))
	for few, lost := range map[*group]bool{one: false, &none: true} {
		out.Reset()
		paired(&out, s.withoutOwners([]*group{g}), s.withoutOwners([]*group{few}))
		if strings.Contains(out.String(), "T1.any5") == false || strings.Contains(out.String(), "(-0.") != lost {
			t.Errorf("lost is %v:\n%s", lost, out.String())
		}
	}
}

func TestPlatt(t *testing.T) {
	var items []outcome
	for i := range 4000 {
		x := float64(i%80)/10 - 4
		items = append(items, outcome{x, float64(i%997)/997 < 1/(1+math.Exp(-(.5*x-1))), 1})
	}
	if a, b := platt(items); math.Abs(a-.5) > .06 || math.Abs(b+1) > .12 {
		t.Errorf("a %v, b %v, want .5 and -1", a, b)
	}
	if a, b := platt(nil); a != 1 || b != 0 {
		t.Errorf("nothing shown gives %v, %v", a, b)
	}
}

// TestWeighBranch: prompts get a weight for what the branch changed, by what it adds to the weights
// that they have.
func TestWeighBranch(t *testing.T) {
	s := &set{Repos: []string{"a/a"}, Signals: rank.SignalNames()}
	for i := range 60 {
		q := question{Task: taskText, Truth: 1}
		for k := range 5 {
			values := make([]float64, len(s.Signals))
			values[rank.Text], values[rank.OfBranch] = float64(k)/5, truth(k == i%5)
			q.Files = append(q.Files, newFile(event.Path(fmt.Sprint(k)), values, k == i%5 && i%3 > 0 || k == 4 &&
				i%3 == 0))
		}
		s.Questions = append(s.Questions, q)
	}
	tasks := map[event.Task]rank.FileModel{}
	for _, task := range []event.Task{event.TaskPrompt, taskText, taskIssue} {
		tasks[task] = rank.FileModel{Weights: map[string]float64{"text": 2}}
	}
	weighBranch(s, tasks)
	if w := tasks[taskText].Weights; w["text"] != 2 || w["branch"] < 1 {
		t.Errorf("%v: the weight of the text stays, that of the branch is found", w)
	}
}

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
