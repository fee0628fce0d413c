package daemon

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/aoa-dev/aoa/prefetch"
)

// metrics are the counters of a daemon. Labels are fixed words, never paths or sessions.
type metrics struct {
	events    prometheus.Counter
	undecoded prometheus.Counter
	learning  prometheus.Histogram
	ranking   prometheus.Histogram
	hooks     *prometheus.HistogramVec
	decisions *prometheus.CounterVec
}

// buckets span the budgets: 0.1 ms to 400 ms.
var buckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .2, .4}

func newMetrics() *metrics {
	return &metrics{
		events: prometheus.NewCounter(prometheus.CounterOpts{Name: "aoa_events_learned_total",
			Help: "Events learned since the start."}),
		undecoded: prometheus.NewCounter(prometheus.CounterOpts{Name: "aoa_hooks_undecoded_total",
			Help: "Hook payloads that were not understood."}),
		learning: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "aoa_learn_seconds",
			Help: "Time to learn one batch.", Buckets: buckets}),
		ranking: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "aoa_rank_seconds",
			Help: "Time to answer one ranking request.", Buckets: buckets}),
		hooks: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "aoa_hook_seconds",
			Help: "Time from a hook's request to its answer, by event.", Buckets: buckets}, []string{"event", "spoke"}),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "aoa_decisions_total",
			Help: "Decisions to hint or to be silent, by kind and reason."}, []string{"kind", "why"}),
	}
}

// Learned implements fold.Counter.
func (m *metrics) Learned(n int, took time.Duration) {
	m.events.Add(float64(n))
	m.learning.Observe(took.Seconds())
}

func (m *metrics) ranked(took time.Duration) { m.ranking.Observe(took.Seconds()) }

// counted are the events that have a label of their own; their names come from outside.
var counted = map[string]bool{"SessionStart": true, "UserPromptSubmit": true, "PreToolUse": true, "PostToolUse": true,
	"PostToolUseFailure": true, "PostToolBatch": true, "PermissionDenied": true, "Stop": true, "SubagentStop": true, "SessionEnd": true}

func (m *metrics) hook(ev string, took time.Duration, answered bool) {
	if !counted[ev] {
		ev = "other"
	}
	m.hooks.WithLabelValues(ev, word(answered)).Observe(took.Seconds())
}

// Decision implements hint.Counter.
func (m *metrics) Decision(kind, why string) { m.decisions.WithLabelValues(kind, why).Inc() }

func word(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// registry has the metrics above and those that are read when somebody reads them.
func (m *metrics) registry(hotBytes, behind func() float64, records func() []prefetch.Record) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(m.events, m.undecoded, m.learning, m.ranking, m.hooks, m.decisions,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, g := range []struct {
		name, help string
		read       func() float64
	}{
		{"aoa_hot_bytes", "Bytes of the hot store: the server's used_memory, the Go heap when embedded.", hotBytes},
		{"aoa_score_staleness_seconds",
			"Age of the oldest event that was accepted and is not learned yet; 0 when all are learned.", behind},
		{"aoa_prefetch_precision", "Share of shown suggestions that were used within the horizon, over all settled ones.",
			func() float64 { all := sum(records()); return float64(all.Used) / float64(max(all.Settled, 1)) }},
		{"aoa_predictions_settled", "Shown suggestions of which it is known whether they were used.",
			func() float64 { return float64(sum(records()).Settled) }},
	} {
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: g.name, Help: g.help}, g.read))
	}
	return r
}

// sum adds up what was shown.
func sum(records []prefetch.Record) (all prefetch.Tally) {
	for _, r := range records {
		all.Used, all.Settled = all.Used+r.Shown.Used, all.Settled+r.Shown.Settled
	}
	return all
}
