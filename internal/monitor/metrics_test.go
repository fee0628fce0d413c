package monitor_test

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/monitor"
	"github.com/aoa-dev/aoa/prefetch"
)

// TestMetrics: what was counted, in the text that Prometheus reads.
func TestMetrics(t *testing.T) {
	m := monitor.NewMetrics()
	m.Learned(7, 3*time.Millisecond)
	m.Ranked(time.Second)
	m.Undecoded()
	m.Decision("search", "below")
	m.Decision("prompt", "shown")
	m.Decision("prompt", "shown")
	w := httptest.NewRecorder()
	m.Handler(func() time.Duration { return 1500 * time.Millisecond }, func() []prefetch.Record {
		return []prefetch.Record{{Kind: "prompt", Shown: prefetch.Tally{Decided: 9, Resolved: 4, Right: 3}}}
	}).ServeHTTP(w, nil)
	at := 0
	for _, line := range []string{"# TYPE aoa_events_learned_total counter\naoa_events_learned_total 7\n",
		"aoa_hooks_undecoded_total 1\n", "# TYPE aoa_learn_seconds histogram\n", `aoa_learn_seconds_bucket{le="0.0025"} 0` + "\n",
		`aoa_learn_seconds_bucket{le="0.005"} 1` + "\n", `aoa_learn_seconds_bucket{le="+Inf"} 1` + "\n",
		"aoa_learn_seconds_sum 0.003\naoa_learn_seconds_count 1\n", `aoa_rank_seconds_bucket{le="0.4"} 0` + "\n",
		`aoa_rank_seconds_bucket{le="+Inf"} 1` + "\n", `aoa_decisions_total{kind="prompt",why="shown"} 2` + "\n",
		`aoa_decisions_total{kind="search",why="below"} 1` + "\n", "aoa_score_staleness_seconds 1.5\n",
		"# TYPE aoa_prefetch_precision gauge\naoa_prefetch_precision 0.75\n", "aoa_predictions_resolved 4\n"} {
		i := strings.Index(w.Body.String()[at:], line)
		if i < 0 {
			t.Fatalf("no %q behind %d in:\n%s", line, at, w.Body)
		}
		at += i
	}
}

// TestWarnings: warnings are kept once each, with what they name, and not without bound; other
// records are not kept.
func TestWarnings(t *testing.T) {
	var w monitor.Warnings
	log := w.Logger(slog.New(slog.DiscardHandler))
	log.Info("started")
	log.Warn("the file is damaged", "file", "aoa.db")
	log.Warn("the file is damaged", "file", "aoa.db")
	if got := w.Texts(); len(got) != 1 || got[0] != "the file is damaged file=aoa.db" {
		t.Errorf("kept %q", got)
	}
	for i := range 100 {
		log.Warn(fmt.Sprint("warning ", i))
	}
	if n := len(w.Texts()); n < 2 || n > 50 {
		t.Errorf("kept %d warnings of 101", n)
	}
}
