package daemon

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/common/expfmt"

	"github.com/aoa-dev/aoa/internal/api"
)

// routes is the whole API; docs/api.md describes it.
func (d *Daemon) routes() http.Handler {
	mux, h := http.NewServeMux(), &d.handlers
	api.HandleHook(mux, h.hook.hook)
	api.Handle(mux, api.Rank, h.query.rank)
	api.Handle(mux, api.Why, h.query.why)
	api.Handle(mux, api.Partners, h.query.partners)
	api.Handle(mux, api.Names, h.query.names)
	api.Handle(mux, api.Feedback, h.thresholds.feedback)
	api.Handle(mux, api.Threshold, func(context.Context, api.None) (api.ThresholdAnswer, error) {
		return h.thresholds.thresholds(""), nil
	})
	api.Handle(mux, api.Config, h.thresholds.config)
	api.Handle(mux, api.Events, h.log.add)
	api.Handle(mux, api.Log, h.log.show)
	api.Handle(mux, api.Stats, h.stats.stats)
	api.Handle(mux, api.Scores, h.scores.scores)
	api.Handle(mux, api.Status, h.status.status)
	api.Handle(mux, api.Pause, h.status.pause)
	api.Handle(mux, api.Stop, h.status.end)
	api.Handle(mux, api.Forget, d.forgetter.forget)
	api.Handle(mux, api.Import, d.transcripts.Start)
	api.Handle(mux, api.Session, h.session.session)
	api.Handle(mux, api.Context, h.context.context)
	api.Handle(mux, api.Ping, func(context.Context, api.None) (api.None, error) { return api.None{}, nil })
	h.stage.routes(mux)
	h.reload.routes(mux)
	h.cache.routes(mux)
	h.sessions.routes(mux)
	mux.Handle("GET /v1/metrics", d.metricsHandler())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.calls.note(d.now())
		mux.ServeHTTP(w, r)
	})
}

// metricsHandler writes the metrics as Prometheus text. Package promhttp would add its compression to the program.
func (d *Daemon) metricsHandler() http.Handler {
	hotBytes := func() float64 { return float64(heap()) }
	behind := func() float64 { return d.events.Behind().Seconds() }
	registry := d.metrics.registry(hotBytes, behind, d.predictions.Records)
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

// serveMetrics serves /metrics on TCP when metrics_addr names an address: off unless asked for.
func (d *Daemon) serveMetrics(ctx context.Context) error {
	addr := d.settings.Get().MetricsAddr
	if addr == "" {
		return nil
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", d.metricsHandler())
	s := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	if err := s.ListenAndServe(); err != nil && ctx.Err() == nil {
		d.alert.Warn("metrics_addr is not served", "addr", addr, "err", err)
	}
	return nil
}
