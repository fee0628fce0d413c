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
func (d *Daemon) routes() http.Handler {
	mux := http.NewServeMux()
	api.Handle(mux, api.Rank, d.rank)
	api.Handle(mux, api.Why, d.why)
	api.Handle(mux, api.Feedback, d.feedback)
	api.Handle(mux, api.Revive, d.revive)
	api.Handle(mux, api.Threshold, func(ctx context.Context, _ api.None) (api.ThresholdAnswer, error) { return d.thresholds(ctx, "") })
	api.Handle(mux, api.SetThreshold, d.setThreshold)
	api.Handle(mux, api.Events, d.events)
	api.Handle(mux, api.Log, d.log)
	api.Handle(mux, api.Export, d.export)
	api.Handle(mux, api.Stats, d.stats)
	api.Handle(mux, api.Status, d.status)
	api.Handle(mux, api.Forget, d.forget)
	api.Handle(mux, api.Pause, d.pause)
	api.Handle(mux, api.Reload, d.reload)
	api.Handle(mux, api.Import, d.importing)
	api.Handle(mux, api.Pairs, d.pairs)
	api.Handle(mux, api.Partners, d.partners)
	api.Handle(mux, api.Complete, d.complete)
	api.Handle(mux, api.Session, d.session)
	d.stages.routes(mux)
	api.Handle(mux, api.Context, d.context)
	api.Handle(mux, api.PromptCache, d.promptCache)
	d.replayRoutes(mux)
	d.cache.routes(mux)
	d.sessions.routes(mux)
	api.Handle(mux, api.Ping, func(context.Context, api.None) (api.None, error) { return api.None{}, nil })
	api.Handle(mux, api.Stop, d.end)
	mux.Handle("GET /v1/metrics", promhttp.HandlerFor(d.metrics.registry(h), promhttp.HandlerOpts{}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.called.Store(d.now().UnixMilli())
		mux.ServeHTTP(w, r)
	})
}

// events takes events of other tools, and says what became of them once they are durable.
func (d *Daemon) events(ctx context.Context, in []event.Event) (api.EventsAnswer, error) {
	var out api.EventsAnswer
	if d.settings.paused() {
		return out, &api.Error{Code: api.CodeBusy, Message: "aOa is paused", Hint: "aoa pause off"}
	}
	w := d.worktrees.at(ctx, api.CallerDir(ctx))
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
	fresh, err := d.events.Append(ctx, kept)
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

func (d *Daemon) log(ctx context.Context, r api.LogRequest) (api.LogAnswer, error) {
	if r.Limit == 0 {
		r.Limit = 100
	}
	d.events.settle(ctx)
	events, err := d.db.Log(ctx, cold.LogFilter{Since: r.Since, Until: r.Until, Session: r.Session, File: r.File, Kinds: r.Kinds, Limit: r.Limit})
	// The newest are selected, the oldest of them come first: a log is read downwards.
	for i, j := 0, len(events)-1; i < j; i, j = i+1, j-1 {
		events[i], events[j] = events[j], events[i]
	}
	return api.LogAnswer{Events: events}, err
}

func (d *Daemon) pairs(ctx context.Context, r api.PairsRequest) (api.PairsAnswer, error) {
	if r.Limit <= 0 {
		r.Limit = 3
	}
	found, err := d.db.Pairs(ctx, r.Limit, d.worktrees.at(ctx, api.CallerDir(ctx)).tree.Load().Has)
	out := api.PairsAnswer{Pairs: []api.Pair{}}
	for _, p := range found {
		out.Pairs = append(out.Pairs, api.Pair{A: p.A, B: p.B, Both: p.Both, OfA: p.OfA, OfB: p.OfB})
	}
	return out, err
}

func (d *Daemon) pause(ctx context.Context, r api.PauseRequest) (api.PauseAnswer, error) {
	file := config.StoreFile(d.store)
	if r.Seconds <= 0 {
		if err := config.Unset(file, "paused_until"); err != nil {
			return api.PauseAnswer{}, err
		}
		_, err := d.reload(ctx, api.None{})
		return api.PauseAnswer{}, err
	}
	until := d.now().Add(time.Duration(r.Seconds * float64(time.Second))).UTC().Truncate(time.Second)
	if err := config.Set(file, "paused_until", until.Format(time.RFC3339)); err != nil {
		return api.PauseAnswer{}, err
	}
	_, err := d.reload(ctx, api.None{})
	return api.PauseAnswer{Until: until}, err
}

// reload reads the configuration anew. What is only read at the start (redis_url, half_lives, watch) needs a
// restart, and the command that sets it says so.
func (d *Daemon) reload(ctx context.Context, _ api.None) (api.None, error) {
	cfg, _, err := config.Load(d.o.Env, d.store)
	if err != nil {
		return api.None{}, api.Bad("aoa config", "%v", err)
	}
	d.cfg.Store(&cfg)
	return api.None{}, d.logThreshold(ctx)
}

func (d *Daemon) status(ctx context.Context, _ api.None) (api.StatusAnswer, error) {
	st, err := d.db.Status(ctx)
	if err != nil {
		return api.StatusAnswer{}, err
	}
	cfg := d.settings.get()
	w := d.worktrees.at(ctx, api.CallerDir(ctx))
	out := api.StatusAnswer{Pid: os.Getpid(), Version: d.o.Version, Build: d.o.Build, Repo: string(w.repo.Root), Store: d.store,
		Backend: backend(cfg.RedisURL), Started: d.started, Uptime: time.Since(d.born).Seconds(),
		Events: int64(st.Events), Commits: int64(st.Commits), Files: int64(w.tree.Load().Len()), Sessions: int64(st.Sessions),
		RSS: rss(), DB: st.Bytes, Hot: int64(d.hot.Size(ctx).Bytes), Watch: d.watching(w),
		KeepDays: cfg.Retention.Events.Hours() / 24, KeepBytes: cfg.Retention.Bytes}
	ws := w.watch.Status()
	out.Watched, out.Polled, out.WatchWhy, out.WatchHint = ws.Watched, ws.Polled, ws.Why, ws.Hint
	if ref, oid, err := w.repo.Head(ctx); err == nil {
		out.Head = ref + " " + oid
	}
	if t, err := d.thresholds(ctx, ""); err == nil {
		out.Threshold = t.Value
	}
	if d.settings.paused() {
		out.Paused = cfg.PausedUntil
	}
	if records, err := d.predictions.Records(ctx); err == nil {
		out.Retired = retired(records)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	out.Import, out.Snapshot = d.head, d.snapped
	for _, w := range d.warnings {
		out.Warnings = append(out.Warnings, w.text())
	}
	out.Warnings = append(out.Warnings, d.troubles()...)
	return out, nil
}

// troubles are what is wrong now, in words; mu is held.
func (d *Daemon) troubles() (out []string) {
	if waiting, dropped, err := d.events.Trouble(); err != nil {
		out = append(out, fmt.Sprintf("%d events wait in memory (%d were dropped): %v", waiting, dropped, err))
	}
	if text := d.sharing.troubles(); text != "" {
		out = append(out, text)
	}
	if d.unerased != nil {
		out = append(out, "forgetting is not finished: "+d.unerased.Error())
	}
	if d.unsaved != nil {
		out = append(out, "the last snapshot was not written: "+d.unsaved.Error())
	}
	return out
}

func (d *Daemon) watching(w *worktree) string {
	switch mode := d.settings.get().Watch; {
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
func (d *Daemon) metricsTCP(ctx context.Context) error {
	addr := d.settings.get().MetricsAddr
	if addr == "" {
		return nil
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(d.metrics.registry(h), promhttp.HandlerOpts{}))
	s := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	if err := s.ListenAndServe(); err != nil && ctx.Err() == nil {
		d.alert.Warn("metrics_addr is not served", "addr", addr, "err", err)
	}
	return nil
}
