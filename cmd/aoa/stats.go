package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/prefetch"
)

func (a *app) stats() *cobra.Command {
	var r api.StatsRequest
	tables := []string{"files", "tags", "sessions", "hints", "metrics"}
	c := newCommand("stats "+strings.Join(tables, "|"), "print totals of files, tags, sessions or hints", nil, nil)
	c.Args = cobra.MatchAll(cobra.ExactArgs(1), func(_ *cobra.Command, args []string) error {
		return knownWords("table", args, tables)
	})
	c.ValidArgs = tables
	c.RunE = func(c *cobra.Command, args []string) error {
		if r.Table = args[0]; r.Table == "metrics" {
			if err := without(c, r.Table, "number"); err != nil {
				return err
			}
			return a.metrics(c.Context())
		}
		return show(c.Context(), a, api.Stats, r, a.printStats)
	}
	r.Limit = 20
	c.Flags().VarP((*number)(&r.Limit), "number", "n", "number of rows")
	return c
}

// metrics prints the daemon's metrics as they are, and as JSON an object of each series and its
// value.
func (a *app) metrics(ctx context.Context) error {
	raw, err := call(ctx, a, api.Metrics, api.None{})
	if err != nil {
		return err
	}
	series := map[string]json.Number{}
	for l := range strings.Lines(string(raw)) {
		if at := strings.LastIndexByte(l, ' '); at > 0 && l[0] != '#' {
			series[l[:at]] = json.Number(strings.TrimSpace(l[at:]))
		}
	}
	return a.answer(series, func() { fmt.Fprint(a.out, string(raw)) })
}

func (a *app) printStats(ans api.StatsAnswer) {
	switch {
	case len(ans.Files) > 0:
		printList(a, "accesses\tfirst\tlast\tmean session\tfile", ans.Files, func(f cold.FileStat) []any {
			return []any{count(f.Accesses), stamp(f.First), stamp(f.Last), seconds(f.MeanSession), a.display(f.File)}
		})
	case len(ans.Tags) > 0:
		printList(a, "uses\tfiles\ttag", ans.Tags, func(t cold.TagStat) []any {
			return []any{count(t.Uses), count(t.Files), "#" + t.Tag}
		})
	case len(ans.Sessions) > 0:
		printList(a, "started\tlength\tevents\tfiles\tagent\tsession", ans.Sessions, func(s cold.SessionStat) []any {
			return []any{stamp(s.Started), seconds(s.Duration), count(s.Events), count(s.Files), s.Agent, s.ID}
		})
	case len(ans.Hints) > 0:
		printList(a, "kind\tshown\tright\twithheld\tright all the same\ttokens", ans.Hints, func(r prefetch.Record) []any {
			return []any{r.Kind, count(r.Shown.Decided), share(r.Shown), count(r.Withheld.Decided), share(r.Withheld),
				count(r.Tokens)}
		})
	default:
		a.noneYet("nothing yet: these figures come from the work of agents")
	}
}

// share formats a tally as "6 of 9 (67 %)", or "-" while no outcome is known.
func share(t prefetch.Tally) string {
	if t.Resolved == 0 {
		return "-"
	}
	return fmt.Sprintf("%s of %s (%.0f %%)", count(t.Right), count(t.Resolved), 100*float64(t.Right)/float64(t.Resolved))
}

// noneYet prints that no agent has left anything to show, and what to do.
func (a *app) noneYet(text string) {
	a.talk("%s", text)
	a.talk("hint: aoa doctor says whether an agent is connected")
}
