package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/log"
	"github.com/aoa-dev/aoa/internal/monitor"
	"github.com/aoa-dev/aoa/watcher"
)

func (d *Daemon) status(ctx context.Context, _ api.None) (api.StatusAnswer, error) {
	st, err := d.db.Status(ctx)
	if err != nil {
		return api.StatusAnswer{}, err
	}
	cfg := d.settings.Get()
	w := d.worktrees.Caller(ctx)
	out := api.StatusAnswer{Pid: os.Getpid(), Version: d.o.Version, Build: d.o.Build, Repo: string(w.Repo.Root),
		Store:   d.settings.Store,
		Started: d.started, Uptime: d.now().Sub(d.started).Seconds(),
		Events: int64(st.Events), Commits: int64(st.Commits), Files: int64(w.Tree().Len()), Sessions: int64(st.Sessions),
		RSS: monitor.Resident(), DB: st.Bytes, Hot: monitor.Heap(),
		KeepBytes: cfg.RetentionBytes}
	ws, on := w.Watching()
	out.Watch = watching(ws, on, cfg.Watch)
	out.Watched, out.WatchWhy, out.WatchHint = ws.Watched, ws.Why, ws.Hint
	if ref, oid, err := w.Repo.Head(ctx); err == nil {
		out.Head = ref + " " + oid
	}
	out.Threshold = d.thresholds("").Value
	if d.settings.Paused() {
		out.Paused = d.settings.PausedUntil()
	}
	if out.Team, err = d.teamStatus(ctx); err != nil {
		return out, err
	}
	out.Import, out.Sketches = d.worktrees.Imports().History, d.worktrees.Sketching()
	events := d.events.Status()
	out.Snapshot, out.Warnings = events.Saved, append(d.warnings.Texts(), d.troubles(events)...)
	return out, nil
}

// troubles returns what is wrong now, in words.
func (d *Daemon) troubles(st log.Status) (out []string) {
	if st.Failing != nil {
		out = append(out, fmt.Sprintf("%d events wait in memory (%d were dropped): %v", st.Waiting, st.Dropped, st.Failing))
	}
	if n := d.metrics.Lost(); n > 0 {
		out = append(out, fmt.Sprintf(
			"calls of hooks that were not understood, so that nothing was learned from them: %d", n))
	}
	out = append(out, d.team.Status().Troubles()...)
	if st.Unscrubbed != nil {
		out = append(out, "forgetting is not finished: "+st.Unscrubbed.Error())
	}
	if st.Unsaved != nil {
		out = append(out, "the last snapshot was not written: "+st.Unsaved.Error())
	}
	return out
}

// watching returns how saves are noticed: on, poll or off.
func watching(st watcher.WatchStatus, on bool, setting string) string {
	switch {
	case !on:
		return "off"
	case st.Polling || setting == "poll":
		return "poll"
	}
	return "on"
}

// maxPause is the longest pause, 100 years, in seconds.
const maxPause = 100 * 365 * 24 * 3600

func (d *Daemon) pause(_ context.Context, r api.PauseRequest) (api.PauseAnswer, error) {
	var until time.Time
	if r.Seconds < 0 || r.Seconds > maxPause {
		return api.PauseAnswer{}, event.BadRequest("use a number of seconds up to 100 years, 0 ends the pause",
			"a pause of %g seconds is out of range", r.Seconds)
	}
	if r.Seconds > 0 {
		until = d.now().Add(time.Duration(r.Seconds * float64(time.Second))).UTC().Truncate(time.Second)
	}
	return api.PauseAnswer{Until: until}, d.settings.Pause(until)
}

// end answers a request to stop. If events cannot be written, the daemon does not stop unless it is
// forced: it keeps them in memory, and once begun a stop cannot be taken back. A damaged store does
// not prevent stopping, because its events are written to a new one.
func (d *Daemon) end(ctx context.Context, r api.StopRequest) (api.StopAnswer, error) {
	var out api.StopAnswer
	if r.Unless != "" && r.Unless == d.o.Build {
		return out, nil
	}
	if err := d.events.Flush(ctx); err != nil && !errors.Is(err, cold.ErrDamaged) {
		waiting := d.events.Status().Waiting
		switch {
		case ctx.Err() != nil:
			return out, err // the caller has gone
		case !r.Force:
			return out, &event.Refusal{Code: event.CodeFull,
				Message: fmt.Sprintf("%d events cannot be written, the daemon goes on with them in memory: %v", waiting, err),
				Hint:    "free some space on that disk, then aoa daemon stop; aoa daemon stop --force loses them"}
		}
		out.Unwritten, out.Why = waiting, err.Error()
	}
	d.stop(errAsked)
	return out, nil
}
