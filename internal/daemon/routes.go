package daemon

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// routes returns the handler of the whole API; docs/api.md describes it.
func (d *Daemon) routes() http.Handler {
	mux := http.NewServeMux()
	api.HandleHook(mux, d.hook)
	handle(mux, api.Rank, d.rank)
	handle(mux, api.Why, d.why)
	handle(mux, api.WhyLine, d.whyLine)
	handle(mux, api.Check, d.check)
	handle(mux, api.Names, d.names)
	handle(mux, api.Feedback, d.feedback)
	handle(mux, api.Threshold, func(context.Context, api.None) (api.ThresholdAnswer, error) {
		return d.thresholds(""), nil
	})
	handle(mux, api.SetThreshold, d.setThreshold)
	handle(mux, api.Config, d.config)
	handle(mux, api.Events, d.addEvents)
	handle(mux, api.Log, d.showLog)
	handle(mux, api.Stats, d.stats)
	handle(mux, api.Scores, d.showScores)
	handle(mux, api.Status, d.status)
	handle(mux, api.Pause, d.pause)
	handle(mux, api.Stop, d.end)
	handle(mux, api.Forget, d.forget)
	handle(mux, api.Import, d.worktrees.Import)
	handle(mux, api.Session, d.session)
	handle(mux, api.Context, d.context)
	handle(mux, api.Ping, func(context.Context, api.None) (api.None, error) { return api.None{}, nil })
	handle(mux, api.StageBegin, d.stageBegin)
	handle(mux, api.StageEnd, d.stageEnd)
	handle(mux, api.StageList, d.stageList)
	handle(mux, api.StageWhy, d.stageWhy)
	handle(mux, api.StageDrop, d.stageDrop)
	handle(mux, api.PipelineOpen, d.pipelineOpen)
	handle(mux, api.PipelineProgress, d.pipelineProgress)
	handle(mux, api.ReloadList, d.reloadList)
	handle(mux, api.ReloadRun, d.reloadRun)
	handle(mux, api.ReloadForget, d.reloadForget)
	handle(mux, api.CachePut, d.cachePut)
	handle(mux, api.CacheGet, d.cacheGet)
	handle(mux, api.CacheList, d.cacheList)
	handle(mux, api.CacheDelete, d.cacheDelete)
	handle(mux, api.Sessions, d.listSessions)
	handle(mux, api.SessionSet, d.setSession)
	mux.Handle("GET /v1/metrics", d.metrics.Handler(
		func() time.Duration { return d.events.Status().Behind }, d.predictions.Records))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/v1")
		if path != api.Ping.Path { // a ping only checks that the daemon answers
			d.calls.Note(d.now())
		}
		if fromMemory[path] && !d.remembered(r.Context()) {
			api.Fail(w, errForgetting)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// handle serves a route with fn, whose errors become refusals.
func handle[Req, Res any](mux *http.ServeMux, r api.Route[Req, Res], fn func(context.Context, Req) (Res, error)) {
	api.Handle(mux, r, func(ctx context.Context, req Req) (Res, error) {
		res, err := fn(ctx, req)
		return res, refused("", err)
	})
}

// forgetTime is how long a question waits while something is being forgotten. The remaining events
// are learned again, some 10,000 per second.
const forgetTime = 30 * time.Second

var errForgetting = &event.Refusal{Code: event.CodeBusy,
	Message: "aOa is forgetting events, and then learns the remaining ones again",
	Hint:    "ask again in a moment"}

// remembered waits while something is being forgotten. It reports whether that is done.
func (d *Daemon) remembered(ctx context.Context) bool {
	if !d.events.Status().Forgetting {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, forgetTime)
	defer cancel()
	_ = d.events.Flush(ctx) // Flush waits for the request that is running, and so for the forgetting.
	return !d.events.Status().Forgetting
}

// fromMemory has the routes whose answers need only data in memory.
var fromMemory = map[string]bool{api.Rank.Path: true, api.Why.Path: true, api.WhyLine.Path: true,
	api.Check.Path: true, api.Names.Path: true,
	api.Log.Path: true, api.Stats.Path: true, api.Scores.Path: true, api.Session.Path: true, api.Context.Path: true,
	api.Sessions.Path: true, api.SessionSet.Path: true, api.ReloadList.Path: true, api.ReloadRun.Path: true}
