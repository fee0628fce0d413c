package monitor

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"github.com/aoa-dev/aoa/prefetch"
)

// Metrics are the counters of a daemon. Labels are fixed words, never paths or sessions.
type Metrics struct {
	events    prometheus.Counter
	undecoded prometheus.Counter
	learning  prometheus.Histogram
	ranking   prometheus.Histogram
	decisions *prometheus.CounterVec
}

// buckets span the budgets: 0.1 ms to 400 ms.
var buckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .2, .4}

// NewMetrics counts nothing yet.
func NewMetrics() *Metrics {
	return &Metrics{
		events: prometheus.NewCounter(prometheus.CounterOpts{Name: "aoa_events_learned_total",
			Help: "Events learned since the start."}),
		undecoded: prometheus.NewCounter(prometheus.CounterOpts{Name: "aoa_hooks_undecoded_total",
			Help: "Hook payloads that were not understood."}),
		learning: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "aoa_learn_seconds",
			Help: "Time to learn one batch.", Buckets: buckets}),
		ranking: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "aoa_rank_seconds",
			Help: "Time to answer one ranking request.", Buckets: buckets}),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "aoa_decisions_total",
			Help: "Decisions to hint or to be silent, by kind and reason."}, []string{"kind", "why"}),
	}
}

// Learned implements log.Counter.
func (m *Metrics) Learned(n int, took time.Duration) {
	m.events.Add(float64(n))
	m.learning.Observe(took.Seconds())
}

// Ranked counts a question.
func (m *Metrics) Ranked(took time.Duration) { m.ranking.Observe(took.Seconds()) }

// Undecoded counts a payload that was not understood.
func (m *Metrics) Undecoded() { m.undecoded.Inc() }

// Decision implements hint.Counter.
func (m *Metrics) Decision(kind, why string) { m.decisions.WithLabelValues(kind, why).Inc() }

// Source is read when the metrics are read.
type Source interface {
	Behind() time.Duration // the age of the oldest event that was accepted and is not learned yet
}

// Records are the records of hints.
type Records interface{ Records() []prefetch.Record }

// registry has the metrics above and those that are computed when they are read.
func (m *Metrics) registry(events Source, hints Records) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(m.events, m.undecoded, m.learning, m.ranking, m.decisions,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, g := range []struct {
		name, help string
		read       func() float64
	}{
		{"aoa_hot_bytes", "Bytes of the Go heap: the scores, the index of the files, and what else is in memory.",
			func() float64 { return float64(Heap()) }},
		{"aoa_score_staleness_seconds",
			"Age of the oldest event that was accepted and is not learned yet; 0 when all are learned.",
			func() float64 { return events.Behind().Seconds() }},
		{"aoa_prefetch_precision", "Share of shown suggestions that were used within the horizon, over all resolved ones.",
			func() float64 { all := sum(hints.Records()); return float64(all.Right) / float64(max(all.Resolved, 1)) }},
		{"aoa_predictions_resolved", "Shown suggestions of which it is known whether they were used.",
			func() float64 { return float64(sum(hints.Records()).Resolved) }},
	} {
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: g.name, Help: g.help}, g.read))
	}
	return r
}

// sum adds up what was shown.
func sum(records []prefetch.Record) (all prefetch.Tally) {
	for _, r := range records {
		all = all.Plus(r.Shown)
	}
	return all
}

// Handler writes the metrics as Prometheus text. Package promhttp would add its compression to the program.
func (m *Metrics) Handler(events Source, hints Records) http.Handler {
	registry := m.registry(events, hints)
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		families, err := registry.Gather()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", string(format))
		for _, f := range families {
			if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
				return // a client that went away needs no answer
			}
		}
	})
}
