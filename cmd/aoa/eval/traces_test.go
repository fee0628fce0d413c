package eval

import (
	"flag"
	"testing"
	"time"
)

// Recorded work to measure on, in the form that docs/evaluation.md describes. Without the flag the test is skipped.
var tracesDir = flag.String("traces", "", "replay the recorded work of this folder")

// TestTraces replays recorded work and prints what `aoa eval` counts.
//
//	go test ./cmd/aoa/eval -run TestTraces -v -traces DIR
func TestTraces(t *testing.T) {
	if *tracesDir == "" {
		t.Skip("give -traces DIR to measure")
	}
	sources, err := Traces(*tracesDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		begin := time.Now()
		var score Score
		count := func(d *Decision) error { score.Take(d); return nil }
		if err := Sessions(t.Context(), s, Options{Now: time.Now}, count); err != nil {
			t.Fatal(err)
		}
		mid := time.Now()
		if err := Commits(t.Context(), s, Options{}, count); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d sessions, %d repeated, %d commits, %.0f + %.0f s", s.Name, len(s.Sessions), s.Repeated, len(s.Commits), mid.Sub(begin).Seconds(), time.Since(mid).Seconds())
		p := func(name string, h Hits) {
			n := float64(max(h.N, 1))
			t.Logf("  %-4s n=%5d hit@1 %.3f @3 %.3f @5 %.3f @10 %.3f mrr %.3f", name, h.N, float64(h.Hit1)/n, float64(h.Hit3)/n, float64(h.Hit5)/n, float64(h.Hit10)/n, h.Reciprocal/n)
		}
		n := float64(max(score.T1.N, 1))
		t.Logf("  T1   n=%5d any5 %.3f p5 %.3f recall10 %.3f mrr %.3f", score.T1.N, float64(score.T1.Any5)/n, score.T1.Precision5/n, score.T1.Recall10/n, score.T1.Reciprocal/n)
		p("T2", score.T2)
		p("T2f", score.F2)
		p("T2all", score.All2)
		p("T3", score.T3)
		p("T3f", score.F3)
		p("T3all", score.All3)
		p("T4", score.T4)
		t.Logf("  left out %d", score.LeftOut)
	}
}
