package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
	"github.com/aoa-dev/aoa/scripts/recorded"
)

// invented is made-up work: all of it, and its first part under another name.
func invented(t testing.TB) []recorded.Source {
	t.Helper()
	all, err := recorded.Traces("../recorded/testdata")
	if err != nil {
		t.Fatal(err)
	}
	part := all[0]
	part.Name, part.Sessions = "made/smaller", part.Sessions[:8]
	return append(all, part)
}

func evaluated(t testing.TB) *Report {
	t.Helper()
	r, err := run(t.Context(), invented(t), settings{threshold: prefetch.Balanced})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReport: what is promised of the JSON, and that equal records give equal reports.
func TestReport(t *testing.T) {
	r := evaluated(t)
	if d := cmp.Diff(r, evaluated(t)); d != "" {
		t.Errorf("the same record gives another report:\n%s", d)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if _, ok := got["loses"].([]any); !ok {
		t.Errorf("loses is %v, no list", got["loses"])
	}
	repo := got["repos"].([]any)[0].(map[string]any)
	tasks := repo["tasks"].(map[string]any)
	for task, fields := range map[string]string{"T1": "n any5 p5 recall10 mrr", "T2": "n hit1 hit3 hit5 hit10 mrr",
		"T3": "n hit1 hit3 hit5 hit10 mrr",
		"T4": "n hit1 hit5 mrr", "T5": "precision recall false_per_100", "shown": "precision coverage ece brier", "shown_unseen": "precision coverage",
		"saved": "searches_per_session"} {
		of, ok := tasks[task].(map[string]any)
		for _, f := range strings.Fields(fields) {
			v, is := of[f].(float64)
			if !ok || !is || math.IsNaN(v) {
				t.Errorf("%s has no %s: %v", task, f, of)
			}
		}
	}
	for _, b := range names {
		if _, ok := repo["baselines"].(map[string]any)[b].(map[string]any)["T2"]; !ok {
			t.Errorf("%s has no T2", b)
		}
	}
	for task, names := range r.Macro.Intervals {
		for name, i := range names {
			if !(i[0] <= i[1]) {
				t.Errorf("the interval of %s %s is %v", task, name, i)
			}
		}
	}
	if m, i := r.Macro.Tasks.T1.Any5, r.Macro.Intervals["T1"]["any5"]; m < i[0] || m > i[1] {
		t.Errorf("the mean %v lies outside %v", m, i)
	}
}

// TestLosses: where a baseline is better, it is said.
func TestLosses(t *testing.T) {
	own := Tasks{T1: &Turn{N: 9, Any5: .5, Recall10: .4}, T2: &Hits{N: 9, Hit1: .2, Hit5: .6}}
	got := losses("x", own, map[string]Tasks{"recent": {T1: &Turn{Any5: .6, Recall10: .4}},
		"zoxide": {T1: &Turn{Any5: .7}, T2: &Hits{Hit5: .5}}})
	want := []Loss{{"x", "T1", "any5", .5, "zoxide", .7}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	var out bytes.Buffer
	(&Report{Loses: got}).Print(&out)
	if !strings.Contains(out.String(), "x, T1 any5: .50 against .70 of zoxide") {
		t.Errorf("not said: %s", &out)
	}
}

// TestMeasures: the numbers of one question by hand.
func TestMeasures(t *testing.T) {
	s := newSums()
	s.turn("c", "T1", []event.Path{"x", "a", "y", "z", "w", "b"}, map[event.Path]bool{"a": true, "b": true, "q": true})
	s.place("c", "T2", 4)
	s.place("c", "T2", 0)
	for m, want := range map[metric]float64{{"T1", "any5"}: 1, {"T1", "p5"}: .2, {"T1", "recall10"}: 2. / 3, {"T1",
		"mrr"}: .5,
		{"T2", "hit1"}: 0, {"T2", "hit3"}: 0, {"T2", "hit5"}: .5, {"T2", "hit10"}: .5, {"T2", "mrr"}: .125} {
		if got := s.all[m].Value(); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v is %v, want %v", m, got, want)
		}
	}
	var bins [binCount]bin
	bins[2], bins[9] = bin{n: 4, p: 1, used: 2}, bin{n: 6, p: 5.4, used: 5.4}
	if got := ece(bins); math.Abs(got-.1) > 1e-12 {
		t.Errorf("ECE %v, want 0.1", got)
	}
}

// BenchmarkReplay evaluates invented work: events a second through learning, ranking, baselines and scoring.
func BenchmarkReplay(b *testing.B) {
	sources := invented(b)[:1]
	events := 0
	for _, rec := range sources[0].Sessions {
		events += len(rec.Events)
	}
	for b.Loop() {
		if _, err := run(b.Context(), sources, settings{threshold: prefetch.Balanced, now: time.Now}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(events*b.N)/b.Elapsed().Seconds(), "events/s")
}
