package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/rank"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// TestPage: made-up work gives every number of the page, and the same ones each time.
func TestPage(t *testing.T) {
	made := func() *recorded.Table {
		all := fault.Must(recorded.Traces("../recorded/testdata"))
		part := all[0]
		part.Name, part.Sessions = "made/smaller", part.Sessions[:8]
		x, err := options{threshold: .2}.run(t.Context(), append(all, part))
		fault.Check(t, err)
		return x
	}
	x := made()
	if a, b := page(x, true), page(made(), true); a != b || strings.Contains(a, "NaN") {
		t.Errorf("the same record gives another page:\n%s\n%s", a, b)
	}
	for _, m := range strings.Split("T1 any5,T1 recall10,T1 mrr,T2 hit1,T2 hit5,T3 hit1,T3 mrr,lists shown,lists right,shown right", ",") {
		if v, in := x.Mean(recorded.Own, m), x.Interval(recorded.Own, m); x.N(recorded.Own, m) == 0 || v < in[0] || v > in[1] {
			t.Errorf("%s is %v of %d questions, interval %v", m, v, x.N(recorded.Own, m), in)
		}
	}
	for _, b := range recorded.RuleNames {
		fault.Same(t, fmt.Sprintf("%s was not asked all of T2", b), x.N(b, "T2 hit1"), x.N(recorded.Own, "T2 hit1"))
	}
	if e := x.ECE(recorded.Own, ofFiles); e <= 0 || e > .5 {
		t.Errorf("ECE %v", e)
	}
}

// TestMeasures: the numbers of one question by hand.
func TestMeasures(t *testing.T) {
	var list []rank.Scored
	for _, f := range strings.Fields("x a y z w b") {
		list = append(list, rank.Scored{File: event.Path(f)})
	}
	s := &score{Table: &recorded.Table{}, repo: "r", rules: recorded.NewRules(), shown: newShown(.6)}
	d := &recorded.Decision{Session: "s", Ranked: list, Turn: []event.Path{"a", "b", "q"},
		Query: event.Query{Task: event.TaskPrompt, Session: "s"}, Prompted: map[event.Path]bool{"x": true},
		Stratum: func(event.Path) recorded.Stratum { return recorded.Unseen }}
	s.prompt(d)
	d.Query.Task = event.TaskOpen
	s.open(d, recorded.Open{File: "z", Stratum: recorded.Unseen})
	s.open(d, recorded.Open{File: "b", Stratum: recorded.Named})
	d.Search = &recorded.Search{Nothing: true, Opened: []event.Path{"b", "w"}}
	s.search(d)
	for m, want := range map[string]float64{"T1 any5": 1, "T1 recall10": 2. / 3, "T1 mrr": 1, "T2 hit3": 0, "T2 hit5": 1,
		"T2 mrr": .25, "T6 hit3": 0, "T6 hit5": 1} {
		if got := s.Mean(recorded.Own, m); s.N(recorded.Own, m) != 1 || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v of %d, want %v", m, got, s.N(recorded.Own, m), want)
		}
	}
}
