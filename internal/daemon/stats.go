package daemon

import (
	"cmp"
	"context"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/history"
)

// stats returns one table of totals.
func (d *Daemon) stats(ctx context.Context, r api.StatsRequest) (out api.StatsAnswer, err error) {
	r.Limit = cmp.Or(max(r.Limit, 0), 20)
	d.events.SyncBriefly(ctx)
	switch r.Table {
	case "pairs":
		out.Pairs, err = d.pairs(ctx, r.Limit)
	case "files":
		out.Files, err = d.db.FileStats(ctx, r.Limit)
	case "tags":
		out.Tags, err = d.db.TagStats(ctx, r.Limit)
	case "sessions":
		out.Sessions, err = d.db.SessionStats(ctx, r.Limit)
	case "hints":
		out.Hints = d.predictions.Records()
	case "outcomes":
		out.Outcomes = d.predictions.Came(r.Limit)
	default:
		err = event.BadRequest("aoa stats --help names them", "no table %q", r.Table)
	}
	return out, err
}

// pairs returns the files that change together although their names have nothing in common.
func (d *Daemon) pairs(ctx context.Context, most int) ([]history.Pair, error) {
	w := d.worktrees.Caller(ctx)
	commits, err := w.History(ctx)
	if err != nil {
		return nil, err
	}
	recent, err := d.db.CommitsOfYear(ctx)
	if err != nil {
		return nil, err
	}
	return commits.Pairs(most, recent, w.Tree().Has), nil
}
