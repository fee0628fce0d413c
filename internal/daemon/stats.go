package daemon

import (
	"cmp"
	"context"

	"github.com/aoa-dev/aoa/internal/api"
)

// stats returns one table of totals.
func (d *Daemon) stats(ctx context.Context, r api.StatsRequest) (out api.StatsAnswer, err error) {
	r.Limit = cmp.Or(max(r.Limit, 0), 20)
	d.events.SyncBriefly(ctx)
	switch r.Table {
	case "pairs":
		w := d.worktrees.Caller(ctx)
		commits, err := w.History(ctx)
		if err != nil {
			return out, err
		}
		recent, err := d.db.CommitsOfYear(ctx)
		if err != nil {
			return out, err
		}
		out.Pairs = commits.Pairs(r.Limit, recent, w.Tree().Has)
		return out, nil
	case "files":
		out.Files, err = d.db.FileStats(ctx, r.Limit)
		return out, err
	case "tags":
		out.Tags, err = d.db.TagStats(ctx, r.Limit)
		return out, err
	case "sessions":
		out.Sessions, err = d.db.SessionStats(ctx, r.Limit)
		return out, err
	case "hints":
		out.Hints = d.predictions.Records()
		return out, nil
	case "outcomes":
		out.Outcomes = d.predictions.Came(r.Limit)
		return out, nil
	}
	return out, api.Bad("aoa stats --help names them", "no table %q", r.Table)
}
