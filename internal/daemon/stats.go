package daemon

import (
	"context"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/prefetch"
)

// stats gives one table of what is known.
func (d *Daemon) stats(ctx context.Context, r api.StatsRequest) (out api.StatsAnswer, err error) {
	if r.Limit <= 0 {
		r.Limit = 20
	}
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
	case "commits":
		out.Files, err = d.db.CommitStats(ctx, r.Limit, d.worktrees.Caller(ctx).Tree().Has)
		return out, err
	case "tags":
		out.Tags, err = d.db.TagStats(ctx, r.Limit)
		return out, err
	case "sessions":
		out.Sessions, err = d.db.SessionStats(ctx, r.Limit)
		return out, err
	case "kinds":
		return d.kindStats(), nil
	case "outcomes":
		out.Outcomes = d.predictions.Came(r.Limit)
		return out, nil
	case "proof":
		out.Proof, err = d.proof(ctx)
		return out, err
	case "cost":
		rows, err := d.costs(ctx)
		out.Costs = rows[:min(len(rows), r.Limit)]
		return out, err
	}
	return out, api.Bad("aoa stats --help names them", "no table %q", r.Table)
}

// maxCosted bounds the events that the ledger is summed up from, the newest.
const maxCosted = 50_000

func (d *Daemon) costs(ctx context.Context) ([]prefetch.Cost, error) {
	kinds := []event.Kind{event.KindPrompt, event.KindRead, event.KindEdit, event.KindWrite, event.KindSearch,
		event.KindRun,
		event.KindFailed, event.KindSuggest}
	events, err := d.db.Log(ctx, cold.LogFilter{Limit: maxCosted, Kinds: kinds})
	slices.Reverse(events) // the log selects the newest, the ledger wants the order of time
	return prefetch.Ledger(events), err
}

// kindStats is the record of each kind that has predicted anything.
func (d *Daemon) kindStats() (out api.StatsAnswer) {
	records := d.predictions.Records()
	for _, r := range records {
		out.Kinds = append(out.Kinds, api.KindStat{Record: r, Lift: r.Lift()})
	}
	out.Retired = retired(records, d.settings.Get().Kinds)
	if r := d.predictions.LastRefit(); r.Verdict != "" {
		out.Refit = &r
	}
	return out
}

// retired lists the kinds that retired, with the reason.
func retired(records []prefetch.Record, on []string) (out []api.RetiredKind) {
	for _, r := range records {
		if r.Retired {
			kinds := on
			if !slices.Contains(on, string(r.Kind)) {
				kinds = append(slices.Clone(on), string(r.Kind))
			}
			out = append(out, api.RetiredKind{Kind: string(r.Kind), Why: r.Why(), Back: "aoa config kinds " + strings.Join(kinds,
				",")})
		}
	}
	return out
}

// provingKinds are the kinds of events that show what became of a hint.
var provingKinds = []event.Kind{event.KindPrompt, event.KindRead, event.KindEdit, event.KindWrite, event.KindSearch,
	event.KindRun, event.KindFailed, event.KindStart, event.KindEnd, event.KindCommit, event.KindSuggest}

// proof counts the results of hints from the log.
func (d *Daemon) proof(ctx context.Context) (*api.ProofAnswer, error) {
	seeks := d.predictions.Seeks()
	out := &api.ProofAnswer{Holdout: d.settings.Get().Holdout,
		Proof:     prefetch.Proof{Kinds: []prefetch.KindProof{}, Losses: []prefetch.Loss{}},
		Searching: seeks.Estimate()}
	first, err := d.db.Log(ctx, cold.LogFilter{Kinds: []event.Kind{event.KindSuggest}, Oldest: true, Limit: 1})
	if err != nil || len(first) == 0 {
		return out, err
	}
	events, err := d.db.Log(ctx, cold.LogFilter{Kinds: provingKinds, Since: first[0].Time, Limit: maxCosted})
	slices.Reverse(events) // the log selects the newest
	if err == nil {
		out.Proof = prefetch.Prove(events, seeks, d.now())
	}
	return out, err
}
