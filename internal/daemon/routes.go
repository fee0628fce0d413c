package daemon

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
)

// routes returns the handler of the whole API; docs/api.md describes it.
func (d *Daemon) routes() http.Handler {
	mux := http.NewServeMux()
	api.HandleHook(mux, d.hook)
	api.Handle(mux, api.Rank, d.rank)
	api.Handle(mux, api.Why, d.why)
	api.Handle(mux, api.WhyLine, d.whyLine)
	api.Handle(mux, api.Check, d.check)
	api.Handle(mux, api.Names, d.names)
	api.Handle(mux, api.Feedback, d.feedback)
	api.Handle(mux, api.Threshold, func(context.Context, api.None) (api.ThresholdAnswer, error) {
		return d.thresholds(""), nil
	})
	api.Handle(mux, api.SetThreshold, d.setThreshold)
	api.Handle(mux, api.Config, d.config)
	api.Handle(mux, api.Events, d.addEvents)
	api.Handle(mux, api.Log, d.showLog)
	api.Handle(mux, api.Stats, d.stats)
	api.Handle(mux, api.Scores, d.showScores)
	api.Handle(mux, api.Status, d.status)
	api.Handle(mux, api.Pause, d.pause)
	api.Handle(mux, api.Stop, d.end)
	api.Handle(mux, api.Forget, d.forget)
	api.Handle(mux, api.Import, d.transcripts.Start)
	api.Handle(mux, api.Session, d.session)
	api.Handle(mux, api.Context, d.context)
	api.Handle(mux, api.Ping, func(context.Context, api.None) (api.None, error) { return api.None{}, nil })
	api.Handle(mux, api.StageBegin, d.stageBegin)
	api.Handle(mux, api.StageEnd, d.stageEnd)
	api.Handle(mux, api.StageList, d.stageList)
	api.Handle(mux, api.StageWhy, d.stageWhy)
	api.Handle(mux, api.StageDrop, d.stageDrop)
	api.Handle(mux, api.PipelineOpen, d.pipelineOpen)
	api.Handle(mux, api.PipelineProgress, d.pipelineProgress)
	api.Handle(mux, api.ReloadList, d.reloadList)
	api.Handle(mux, api.ReloadRun, d.reloadRun)
	api.Handle(mux, api.ReloadForget, d.reloadForget)
	api.Handle(mux, api.CachePut, d.cachePut)
	api.Handle(mux, api.CacheGet, d.cacheGet)
	api.Handle(mux, api.CacheList, d.cacheList)
	api.Handle(mux, api.CacheDelete, d.cacheDelete)
	api.Handle(mux, api.Sessions, d.listSessions)
	api.Handle(mux, api.SessionSet, d.setSession)
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

// forgetTime is how long a question waits while something is being forgotten. The remaining events
// are learned again, some 10,000 per second.
const forgetTime = 30 * time.Second

var errForgetting = &api.Error{Code: api.CodeBusy,
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
