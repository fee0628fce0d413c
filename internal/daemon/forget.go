package daemon

import (
	"context"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/schedule"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/team"
)

// forget answers a request to forget.
func (d *Daemon) forget(ctx context.Context, req api.ForgetRequest) (out api.ForgetAnswer, err error) {
	if req.Origin != "" && req == (api.ForgetRequest{Origin: req.Origin}) {
		return d.forgetOrigin(ctx, req.Origin)
	}
	f := cold.ForgetFilter{Path: req.File, Session: req.Session, Since: req.Since}
	if req.Origin != "" || f.Check() != nil {
		return out, event.BadRequest("aoa forget PATH, or aoa forget with --session, --since or --origin",
			"name exactly one thing to forget")
	}
	if req.File != "" {
		if f.Path, err = event.NewPath(strings.TrimSuffix(string(req.File), "/")); err != nil {
			return out, event.BadRequest("use a path as aoa log prints it", "%v", err)
		}
	}
	gone, err := d.events.Forget(ctx, f)
	return api.ForgetAnswer{Events: len(gone.Events), Files: max(len(filesOf(gone.Events)), gone.Files),
		Commits: gone.Commits, Results: gone.Cached[stage.Results]}, err
}

// forgetElsewhere tells the other clones to forget, and deletes the words of files from the stored
// index.
func (d *Daemon) forgetElsewhere(ctx context.Context, f cold.ForgetFilter) error {
	if err := d.team.Forget(ctx, team.NewFilter(f.Path, f.Session, f.Since, f.Until)); err != nil {
		return err
	}
	if f.Path == "" {
		return nil
	}
	return d.worktrees.ForgetContents(f.Path)
}

// finishForgetting overwrites forgotten data that could not be overwritten when it was forgotten.
func (d *Daemon) finishForgetting(ctx context.Context) error {
	for {
		if err := d.events.Scrub(ctx); err != nil && ctx.Err() == nil {
			d.log.Warn("forgetting is not finished", "err", err)
		}
		if !schedule.Pause(ctx, scrubEvery) {
			return nil
		}
	}
}

// scrubEvery is how often it tries to overwrite forgotten data.
const scrubEvery = time.Minute

// filesOf returns the first file that each event names.
func filesOf(events []event.Event) map[event.Path]bool {
	files := map[event.Path]bool{}
	for _, e := range events {
		for _, p := range e.Paths() {
			files[p] = true
		}
	}
	return files
}
