package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
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
