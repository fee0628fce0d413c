package daemon

import (
	"context"
	"net/http"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/monitor"
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
	mux.Handle("GET /v1/metrics", d.metrics.Handler(d.events, d.predictions))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.calls.Note(d.now())
		mux.ServeHTTP(w, r)
	})
}

// serveMetrics serves the metrics on TCP when metrics_addr names an address: off unless asked for.
func (d *Daemon) serveMetrics(ctx context.Context) error {
	addr := d.settings.Get().MetricsAddr
	if addr == "" {
		return nil
	}
	if err := monitor.Serve(ctx, addr, d.metrics.Handler(d.events, d.predictions)); err != nil {
		d.alert.Warn("metrics_addr is not served", "addr", addr, "err", err)
	}
	return nil
}
