package daemon

import (
	"context"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

const namesMost = 4096 // names of a request

// names finds the files, or the session, that a person means. Every command and tool that takes
// names uses it.
func (d *Daemon) names(ctx context.Context, r api.NamesRequest) (api.NamesAnswer, error) {
	out := api.NamesAnswer{Names: make([]api.NamedFiles, 0, len(r.Names))}
	if len(r.Names) > namesMost {
		return out, event.BadRequest("name their folder", "%d names are too many, use at most %d", len(r.Names), namesMost)
	}
	if r.Session != "" {
		var err error
		if out.Session, err = d.findSession(ctx, r.Session); err != nil || len(r.Names) == 0 {
			return out, err
		}
	}
	w := d.worktrees.Caller(ctx)
	d.events.SyncBriefly(ctx) // the log knows deleted files
	found, err := d.worktrees.Named(ctx, w, r.Dir, r.Names)
	out.Names = append(out.Names, found...)
	return out, err
}
