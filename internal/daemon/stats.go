package daemon

import (
	"context"
	"errors"
	"slices"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// stats gives one table of what is known.
func (h *house) stats(ctx context.Context, r api.StatsRequest) (api.StatsAnswer, error) {
	if r.Limit <= 0 {
		r.Limit = 20
	}
	h.settleEvents(ctx)
	var out api.StatsAnswer
	switch r.Table {
	case "files":
		rows, err := h.db.FileStats(ctx, r.Limit)
		for _, f := range rows {
			out.Files = append(out.Files, api.FileStat{File: f.File, Accesses: int64(f.Accesses), First: f.First, Last: f.Last,
				MeanSession: f.MeanSession})
		}
		return out, err
	case "tags":
		rows, err := h.db.TagStats(ctx, r.Limit)
		for _, t := range rows {
			out.Tags = append(out.Tags, api.TagStat{Tag: t.Tag, Uses: int64(t.Uses), Files: int64(t.Files)})
		}
		return out, err
	case "sessions":
		rows, err := h.db.SessionStats(ctx, r.Limit)
		for _, s := range rows {
			out.Sessions = append(out.Sessions, api.SessionStat{ID: s.ID, Agent: s.Agent, Started: s.Started, Last: s.Last,
				Duration: s.Last.Sub(s.Started).Seconds(), Events: int64(s.Events), Files: int64(s.Files)})
		}
		return out, err
	case "kinds":
		return h.kindStats(ctx)
	}
	if r.Table == "costs" {
		rows, err := h.costs(ctx)
		out.Costs = rows[:min(len(rows), r.Limit)]
		return out, err
	}
	return out, api.Bad("aoa stats files|tags|sessions|kinds, aoa cost", "no table %q", r.Table)
}

// maxCosted bounds the events that the ledger is summed up from, the newest.
const maxCosted = 50_000

func (h *house) costs(ctx context.Context) ([]api.CostRow, error) {
	events, err := h.db.Log(ctx, cold.LogFilter{Limit: maxCosted, Kinds: []event.Kind{event.KindPrompt, event.KindRead, event.KindEdit, event.KindWrite,
		event.KindSearch, event.KindRun, event.KindFailed, event.KindSuggest}})
	slices.Reverse(events) // the log selects the newest, the ledger wants the order of time
	rows := []api.CostRow{}
	for _, c := range prefetch.Ledger(events) {
		rows = append(rows, api.CostRow(c))
	}
	return rows, err
}

// checkEvent refuses what no room could use.
func checkEvent(e event.Event) error {
	switch {
	case e.ID == "":
		return errors.New("no id: deliveries could not be told apart")
	case e.Kind == "":
		return errors.New("no kind")
	case e.Time.IsZero():
		return errors.New("no time")
	}
	return nil
}

// backend names the store without its password.
func backend(redis string) string {
	if redis == "" {
		return "embedded"
	}
	r, err := config.ParseRedis(redis)
	if err != nil {
		return "redis"
	}
	return r.String()
}
