package main

import (
	"math"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
)

// lesson is a set in which signal 4 tells the right file and signal 6 tells nothing.
func lesson() *set {
	s := &set{Repos: []string{"a/a", "b/b"}, Signals: rank.SignalNames()}
	for i := range 120 {
		q := question{Repo: i % 2, Moment: event.TaskPrompt, Truth: 1}
		for k := range 10 {
			right := k == i%10
			f := file{Path: uint32(k), Signals: []uint8{0, 6}, Values: []float32{1, float32(k%3) / 3}, Target: right, Used: right}
			if right {
				f.Signals, f.Values = append(f.Signals, 4), append(f.Values, 0.9)
			}
			q.Files = append(q.Files, f)
		}
		s.Questions = append(s.Questions, q)
	}
	return s
}

func TestFit(t *testing.T) {
	s := lesson()
	per, macro := measureLeft(s, leaveOneOut(s, nothing))
	if macro["T1.any5"] != 1 || per["a/a"]["T1.n"] != 60 {
		t.Errorf("macro %v, per %v: want the right file always among five", macro, per)
	}
	w := fitOn(s, func(int) bool { return true }, nothing)
	if g := w.w["prompt"]; g[4] < .5 || math.Abs(g[6]) > g[4] {
		t.Errorf("weights %v and %v, want the first to tell", g[4], g[6])
	}
	again := fitOn(s, func(int) bool { return true }, nothing)
	for i, x := range w.w["prompt"] {
		if again.w["prompt"][i] != x {
			t.Fatalf("weight %d: %v, then %v", i, x, again.w["prompt"][i])
		}
	}
	blind := fitOn(s, func(int) bool { return true }, func(name string) bool { return name == s.Signals[4] })
	if blind.w["prompt"][4] != 0 {
		t.Errorf("a signal taken away weighs %v", blind.w["prompt"][4])
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
