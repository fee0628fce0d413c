package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/checkout"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/eventlog"
	"github.com/aoa-dev/aoa/internal/fold"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/monitor"
	"github.com/aoa-dev/aoa/internal/schedule"
	"github.com/aoa-dev/aoa/internal/team"
	"github.com/aoa-dev/aoa/prefetch"
)

// statusHandler shows the state of the daemon, pauses it and ends it.
type statusHandler struct {
	base
	version, build string
	clock          *schedule.Clock
	events         *eventlog.Log
	worktrees      *checkout.Set
	db             *cold.DB
	hot            *hot.Store
	scores         *fold.Fold
	history        *checkout.History
	forgetter      *forgetter
	team           *team.Team
	predictions    *prefetch.Prefetcher
	thresholds     *thresholdHandler
	warnings       *monitor.Warnings
	asked          *atomic.Bool // the process is to end
	stop           context.CancelCauseFunc
}

func (s *statusHandler) status(ctx context.Context, _ api.None) (api.StatusAnswer, error) {
	st, err := s.db.Status(ctx)
	if err != nil {
		return api.StatusAnswer{}, err
	}
	cfg := s.settings.Get()
	w := s.worktrees.Caller(ctx)
	out := api.StatusAnswer{Pid: os.Getpid(), Version: s.version, Build: s.build, Repo: string(w.Repo.Root),
		Store:   s.settings.Store,
		Started: s.clock.Started(), Uptime: s.clock.Uptime().Seconds(),
		Events: int64(st.Events), Commits: int64(st.Commits), Files: int64(w.Tree().Len()), Sessions: int64(st.Sessions),
		RSS: monitor.Resident(), DB: st.Bytes, Hot: monitor.Heap(), Watch: watching(w, cfg.Watch),
		KeepBytes: cfg.RetentionBytes}
	ws := w.Watch.Status()
	out.Watched, out.Polled, out.WatchWhy, out.WatchHint = ws.Watched, ws.Polled, ws.Why, ws.Hint
	if ref, oid, err := w.Repo.Head(ctx); err == nil {
		out.Head = ref + " " + oid
	}
	out.Threshold = s.thresholds.thresholds("").Value
	if s.settings.Paused() {
		out.Paused = s.settings.PausedUntil()
	}
	out.Retired = retired(s.predictions.Records(), cfg.Kinds)
	if out.Team, err = s.teamStatus(ctx); err != nil {
		return out, err
	}
	var unsaved error
	out.Import = s.history.Progress()
	out.Snapshot, unsaved = s.scores.Saved()
	out.Warnings = append(s.warnings.Texts(), s.troubles(unsaved)...)
	return out, nil
}

// troubles are what is wrong now, in words.
func (s *statusHandler) troubles(unsaved error) (out []string) {
	if waiting, dropped, err := s.events.Trouble(); err != nil {
		out = append(out, fmt.Sprintf("%d events wait in memory (%d were dropped): %v", waiting, dropped, err))
	}
	out = append(out, s.team.Status().Troubles()...)
	if err := s.forgetter.Unfinished(); err != nil {
		out = append(out, "forgetting is not finished: "+err.Error())
	}
	if unsaved != nil {
		out = append(out, "the last snapshot was not written: "+unsaved.Error())
	}
	return out
}

// watching is how saves are noticed.
func watching(w *checkout.Checkout, mode string) string {
	switch {
	case mode != "on":
		return mode
	case w.Watch.Status().Partial:
		return "partial"
	case w.Watch.Status().Polling:
		return "poll"
	}
	return "on"
}

func (s *statusHandler) pause(_ context.Context, r api.PauseRequest) (api.PauseAnswer, error) {
	var until time.Time
	if r.Seconds > 0 {
		until = s.now().Add(time.Duration(r.Seconds * float64(time.Second))).UTC().Truncate(time.Second)
	}
	return api.PauseAnswer{Until: until}, s.settings.Pause(until)
}

// end answers a request to stop. A daemon whose events cannot be written goes on, with the events in memory, unless
// it is forced: it cannot take back a stop that it has begun. A damaged store is no reason to go on, because salvage
// gives the events to a fresh one.
func (s *statusHandler) end(ctx context.Context, r api.StopRequest) (api.StopAnswer, error) {
	var out api.StopAnswer
	if r.Unless != "" && r.Unless == s.build {
		return out, nil
	}
	if err := s.events.Flush(ctx); err != nil && !errors.Is(err, cold.ErrDamaged) {
		waiting, _, _ := s.events.Trouble()
		switch {
		case ctx.Err() != nil:
			return out, err // who asked has gone
		case !r.Force:
			return out, &api.Error{Code: api.CodeFull,
				Message: fmt.Sprintf("%d events cannot be written, the daemon goes on with them in memory: %v", waiting, err),
				Hint:    "free some space on that disk, then aoa daemon stop; aoa daemon stop --force loses them"}
		}
		out.Unwritten, out.Why = waiting, err.Error()
	}
	s.asked.Store(true)
	s.stop(errAsked)
	return out, nil
}
