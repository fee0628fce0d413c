package monitor

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/prefetch"
)

// Metrics holds the counters of a daemon. Labels are fixed words, never paths or sessions. It is
// safe for concurrent use.
type Metrics struct {
	events    atomic.Int64
	undecoded atomic.Int64
	mu        sync.Mutex // guards the fields below
	learning  histogram
	ranking   histogram
	decisions map[decision]int
}

// decision is a kind of hint, with the reason why it was shown or not.
type decision struct{ kind, why string }

// buckets are the upper limits of the counted durations, in seconds. They cover the time budgets,
// from 0.1 ms to 400 ms.
var buckets = [...]float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .2, .4}

// histogram counts durations.
type histogram struct {
	within [len(buckets)]int // durations of at most buckets[i]
	count  int
	sum    float64 // seconds
}

func (h *histogram) observe(took time.Duration) {
	for i, most := range buckets {
		if took.Seconds() <= most {
			h.within[i]++
		}
	}
	h.count++
	h.sum += took.Seconds()
}

// NewMetrics returns counters that are all zero.
func NewMetrics() *Metrics { return &Metrics{decisions: map[decision]int{}} }

// Learned implements log.Counter.
func (m *Metrics) Learned(n int, took time.Duration) {
	m.events.Add(int64(n))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.learning.observe(took)
}

// Ranked counts a ranking with its duration.
func (m *Metrics) Ranked(took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ranking.observe(took)
}

// Undecoded counts a payload that could not be decoded.
func (m *Metrics) Undecoded() { m.undecoded.Add(1) }

// Lost returns how many payloads could not be decoded.
func (m *Metrics) Lost() int64 { return m.undecoded.Load() }

// Decision implements hint.Counter.
func (m *Metrics) Decision(kind, why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.decisions[decision{kind, why}]++
}

// Handler serves the metrics as Prometheus text. behind returns the age of the oldest event that was
// accepted and is not learned yet, hints the records of hints. It does not use the Prometheus client
// library, which would make the start of every command slower.
func (m *Metrics) Handler(behind func() time.Duration, hints func() []prefetch.Record) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		m.write(w, behind(), hints())
	})
}

func (m *Metrics) write(w io.Writer, behind time.Duration, hints []prefetch.Record) {
	var shown prefetch.Tally
	for _, r := range hints {
		shown = shown.Plus(r.Shown)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	one := func(kind, name, help string, value any) {
		describe(w, kind, name, help)
		fmt.Fprintf(w, "%s %v\n", name, value)
	}
	one("counter", "aoa_events_learned_total", "Events learned since the start.", m.events.Load())
	one("counter", "aoa_hooks_undecoded_total", "Hook payloads that were not understood.", m.Lost())
	m.learning.write(w, "aoa_learn_seconds", "Time to learn one batch.")
	m.ranking.write(w, "aoa_rank_seconds", "Time to answer one ranking request.")
	describe(w, "counter", "aoa_decisions_total", "Decisions to hint or to be silent, by kind and reason.")
	for _, d := range slices.SortedFunc(maps.Keys(m.decisions), func(a, b decision) int {
		return slices.Compare([]string{a.kind, a.why}, []string{b.kind, b.why})
	}) {
		fmt.Fprintf(w, "aoa_decisions_total{kind=%q,why=%q} %d\n", d.kind, d.why, m.decisions[d])
	}
	one("gauge", "aoa_hot_bytes", "Bytes of the Go heap: the scores, the index of the files, and all other data in "+
		"memory.", Heap())
	one("gauge", "aoa_resident_bytes", "Bytes of the process in memory.", Resident())
	one("gauge", "aoa_score_staleness_seconds",
		"Age of the oldest event that was accepted and is not learned yet; 0 when all are learned.",
		behind.Seconds())
	one("gauge", "aoa_prefetch_precision",
		"Share of shown suggestions that were used within the horizon, over all resolved ones.",
		float64(shown.Right)/float64(max(shown.Resolved, 1)))
	one("gauge", "aoa_predictions_resolved", "Shown suggestions of which it is known whether they were used.",
		shown.Resolved)
}

func describe(w io.Writer, kind, name, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %[1]s %[3]s\n", name, help, kind)
}

func (h *histogram) write(w io.Writer, name, help string) {
	describe(w, "histogram", name, help)
	for i, most := range buckets {
		fmt.Fprintf(w, "%s_bucket{le=\"%v\"} %d\n", name, most, h.within[i])
	}
	fmt.Fprintf(w, "%s_bucket{le=\"+Inf\"} %d\n%[1]s_sum %[3]v\n%[1]s_count %[2]d\n", name, h.count, h.sum)
}
