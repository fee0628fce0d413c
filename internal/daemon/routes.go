package daemon

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
)

// routes is the whole API; docs/api.md describes it.
func (h *house) routes() http.Handler {
	mux := http.NewServeMux()
	api.Handle(mux, api.Rank, h.rank)
	api.Handle(mux, api.Why, h.why)
	api.Handle(mux, api.Feedback, h.feedback)
	api.Handle(mux, api.Revive, h.revive)
	api.Handle(mux, api.Threshold, func(ctx context.Context, _ api.None) (api.ThresholdAnswer, error) { return h.thresholds(ctx, "") })
	api.Handle(mux, api.SetThreshold, h.setThreshold)
	api.Handle(mux, api.Events, h.events)
	api.Handle(mux, api.Log, h.log)
	api.Handle(mux, api.Export, h.export)
	api.Handle(mux, api.Stats, h.stats)
	api.Handle(mux, api.Status, h.status)
	api.Handle(mux, api.Forget, h.forget)
	api.Handle(mux, api.Pause, h.pause)
	api.Handle(mux, api.Reload, h.reload)
	api.Handle(mux, api.Import, h.importing)
	api.Handle(mux, api.Pairs, h.pairs)
	api.Handle(mux, api.Partners, h.partners)
	api.Handle(mux, api.Complete, h.complete)
	api.Handle(mux, api.Session, h.session)
	h.stages.routes(mux)
	api.Handle(mux, api.Context, h.context)
	api.Handle(mux, api.PromptCache, h.promptCache)
	h.replayRoutes(mux)
	h.shelf.routes(mux)
	h.desk.routes(mux)
	api.Handle(mux, api.Ping, func(context.Context, api.None) (api.None, error) { return api.None{}, nil })
	api.Handle(mux, api.Stop, h.end)
	mux.Handle("GET /v1/metrics", promhttp.HandlerFor(h.gauges.registry(h), promhttp.HandlerOpts{}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.called.Store(h.o.Now().UnixMilli())
		mux.ServeHTTP(w, r)
	})
}

// events takes events of other tools, and says what became of them once they are durable.
func (h *house) events(ctx context.Context, in []event.Event) (api.EventsAnswer, error) {
	var out api.EventsAnswer
	if h.paused() {
		return out, &api.Error{Code: api.CodeBusy, Message: "aOa is paused", Hint: "aoa pause off"}
	}
	w := h.at(ctx, api.CallerDir(ctx))
	kept := in[:0]
	for i, e := range in {
		if err := checkEvent(e); err != nil {
			return out, api.Bad("docs/api.md lists the fields", "event %d: %v", i, err)
		}
		had := len(e.Paths) + len(e.Gone)
		w.clean(&e)
		if had > 0 && len(e.Paths)+len(e.Gone) == 0 {
			out.Ignored++
			continue
		}
		kept = append(kept, e)
	}
	fresh, err := h.journal.Log(ctx, kept)
	if err != nil {
		return out, &api.Error{Code: api.CodeFull, Message: err.Error(), Hint: "aoa doctor"}
	}
	out.Accepted, out.Duplicate = fresh, len(kept)-fresh
	return out, nil
}

// clean takes out of an event what must not be stored. A rename keeps the pairs of which both names are kept.
func (w *worktree) clean(e *event.Event) {
	if e.Kind == event.KindRename || len(e.From) > 0 {
		from, to := e.From, e.Paths
		e.From, e.Paths = nil, nil
		for i := range min(len(from), len(to)) {
			f, t := w.keep(from[i:i+1]), w.keep(to[i:i+1])
			if len(f) > 0 && len(t) > 0 {
				e.From, e.Paths = append(e.From, f[0]), append(e.Paths, t[0])
			}
		}
	}
	if len(e.Scores) != len(e.Paths) {
		e.Scores = nil
	}
	e.Paths, e.Gone, e.Seen, e.Named = w.keep(e.Paths), w.keep(e.Gone), w.keep(e.Seen), w.keep(e.Named)
}

// keep drops ignored files and names that are no paths of a repository.
func (w *worktree) keep(in []event.Path) []event.Path {
	var out []event.Path
	for _, p := range in {
		if q, err := event.NewPath(string(p)); err == nil && !w.repo.Ignored(q) {
			out = append(out, q)
		}
	}
	return out
}

func (h *house) log(ctx context.Context, r api.LogRequest) (api.LogAnswer, error) {
	if r.Limit == 0 {
		r.Limit = 100
	}
	h.settleEvents(ctx)
	events, err := h.db.Log(ctx, cold.LogFilter{Since: r.Since, Until: r.Until, Session: r.Session, File: r.File, Kinds: r.Kinds, Limit: r.Limit})
	// The newest are selected, the oldest of them come first: a log is read downwards.
	for i, j := 0, len(events)-1; i < j; i, j = i+1, j-1 {
		events[i], events[j] = events[j], events[i]
	}
	return api.LogAnswer{Events: events}, err
}

func (h *house) pairs(ctx context.Context, r api.PairsRequest) (api.PairsAnswer, error) {
	if r.Limit <= 0 {
		r.Limit = 3
	}
	found, err := h.db.Pairs(ctx, r.Limit, h.at(ctx, api.CallerDir(ctx)).tree.Load().Has)
	out := api.PairsAnswer{Pairs: []api.Pair{}}
	for _, p := range found {
		out.Pairs = append(out.Pairs, api.Pair{A: p.A, B: p.B, Both: p.Both, OfA: p.OfA, OfB: p.OfB})
	}
	return out, err
}

func (h *house) pause(ctx context.Context, r api.PauseRequest) (api.PauseAnswer, error) {
	file := config.StoreFile(h.o.Place.Store)
	if r.Seconds <= 0 {
		if err := config.Unset(file, "paused_until"); err != nil {
			return api.PauseAnswer{}, err
		}
		_, err := h.reload(ctx, api.None{})
		return api.PauseAnswer{}, err
	}
	until := h.o.Now().Add(time.Duration(r.Seconds * float64(time.Second))).UTC().Truncate(time.Second)
	if err := config.Set(file, "paused_until", until.Format(time.RFC3339)); err != nil {
		return api.PauseAnswer{}, err
	}
	_, err := h.reload(ctx, api.None{})
	return api.PauseAnswer{Until: until}, err
}

// reload reads the configuration anew. What is only read at the start (redis_url, half_lives, watch) needs a
// restart, and the command that sets it says so.
func (h *house) reload(ctx context.Context, _ api.None) (api.None, error) {
	cfg, _, err := config.Load(h.o.Env, h.o.Place.Store)
	if err != nil {
		return api.None{}, api.Bad("aoa config", "%v", err)
	}
	h.cfg.Store(&cfg)
	return api.None{}, h.logThreshold(ctx)
}

func (h *house) status(ctx context.Context, _ api.None) (api.StatusAnswer, error) {
	st, err := h.db.Status(ctx)
	if err != nil {
		return api.StatusAnswer{}, err
	}
	cfg := h.config()
	w := h.at(ctx, api.CallerDir(ctx))
	out := api.StatusAnswer{Pid: os.Getpid(), Version: h.o.Version, Build: h.o.Build, Repo: string(w.repo.Root), Store: h.o.Place.Store,
		Backend: backend(cfg.RedisURL), Started: h.started, Uptime: time.Since(h.born).Seconds(),
		Events: int64(st.Events), Commits: int64(st.Commits), Files: int64(w.tree.Load().Len()), Sessions: int64(st.Sessions),
		RSS: rss(), DB: st.Bytes, Hot: int64(h.hot.Size().Bytes), Watch: h.watching(w),
		KeepDays: cfg.Retention.Events.Hours() / 24, KeepBytes: cfg.Retention.Bytes}
	ws := w.watch.Status()
	out.Watched, out.Polled, out.WatchWhy, out.WatchHint = ws.Watched, ws.Polled, ws.Why, ws.Hint
	if ref, oid, err := w.repo.Head(ctx); err == nil {
		out.Head = ref + " " + oid
	}
	if t, err := h.thresholds(ctx, ""); err == nil {
		out.Threshold = t.Value
	}
	if h.paused() {
		out.Paused = cfg.PausedUntil
	}
	if records, err := h.settle.Records(ctx); err == nil {
		out.Retired = retired(records)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	out.Import, out.Snapshot = h.head, h.snapped
	for _, w := range h.warnings {
		out.Warnings = append(out.Warnings, w.text())
	}
	out.Warnings = append(out.Warnings, h.troubles()...)
	return out, nil
}

// troubles are what is wrong now, in words; mu is held.
func (h *house) troubles() (out []string) {
	if waiting, dropped, err := h.journal.Trouble(); err != nil {
		out = append(out, fmt.Sprintf("%d events wait in memory (%d were dropped): %v", waiting, dropped, err))
	}
	if text := h.share.troubles(); text != "" {
		out = append(out, text)
	}
	if h.unerased != nil {
		out = append(out, "forgetting is not finished: "+h.unerased.Error())
	}
	if h.unsaved != nil {
		out = append(out, "the last snapshot was not written: "+h.unsaved.Error())
	}
	return out
}

func (h *house) watching(w *worktree) string {
	switch mode := h.config().Watch; {
	case mode != "on":
		return mode
	case w.watch.Partial():
		return "partial"
	case w.watch.Status().Polling:
		return "poll"
	}
	return "on"
}

// metricsTCP serves /metrics on TCP when metrics_addr names an address: off unless asked for.
func (h *house) metricsTCP(ctx context.Context) error {
	addr := h.config().MetricsAddr
	if addr == "" {
		return nil
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(h.gauges.registry(h), promhttp.HandlerOpts{}))
	s := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	if err := s.ListenAndServe(); err != nil && ctx.Err() == nil {
		h.loud.Warn("metrics_addr is not served", "addr", addr, "err", err)
	}
	return nil
}
