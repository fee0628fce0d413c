package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/history"
	"github.com/aoa-dev/aoa/prefetch"
)

func (a *app) stats() *cobra.Command {
	var r api.StatsRequest
	tables := []string{"files", "tags", "sessions", "hints", "metrics"}
	c := newCommand("stats ["+strings.Join(tables, "|")+"]", "a summary, or totals of files, sessions or hints",
		cobra.MatchAll(cobra.MaximumNArgs(1), func(_ *cobra.Command, args []string) error {
			return knownWords("table", args, tables)
		}), nil)
	c.ValidArgs = tables
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			rows := summaryRows
			if c.Flags().Changed("number") {
				rows = r.Limit
			}
			return a.summary(c.Context(), rows)
		}
		if r.Table = args[0]; r.Table == "metrics" {
			if err := without(c, r.Table, "number"); err != nil {
				return err
			}
			return a.metrics(c.Context())
		}
		ans, err := call(c.Context(), a, api.Stats, r)
		if err != nil {
			return err
		}
		return a.answer(ans, func() { a.printStats(ans) })
	}

	r.Limit = 20
	c.Flags().VarP((*number)(&r.Limit), "number", "n", "number of rows; without it, the summary has 5 of each list")
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

// summaryRows is the number of files, and of pairs, in the summary.
const summaryRows = 5

// statsSummary has everything that aoa stats prints if it is called without an argument.
type statsSummary struct {
	Status api.StatusAnswer  `json:"status"`
	Hot    []cold.FileStat   `json:"hot"`   // the files with most commits in the last year of the history
	Files  []cold.FileStat   `json:"files"` // the files opened most
	Pairs  []history.Pair    `json:"pairs"` // the pairs that change together most
	Hints  []prefetch.Record `json:"hints"`
}

// summary prints the most important totals. Those of the history are there from the first day on.
func (a *app) summary(ctx context.Context, rows int) error {
	s := statsSummary{}
	var err error
	if s.Status, err = call(ctx, a, api.Status, api.None{}); err != nil {
		return err
	}
	for _, t := range []struct {
		table string
		keep  func(api.StatsAnswer)
	}{
		{"commits", func(ans api.StatsAnswer) { s.Hot = append([]cold.FileStat{}, ans.Files...) }},
		{"files", func(ans api.StatsAnswer) { s.Files = append([]cold.FileStat{}, ans.Files...) }},
		{"pairs", func(ans api.StatsAnswer) { s.Pairs = ans.Pairs }},
		{"hints", func(ans api.StatsAnswer) { s.Hints = append([]prefetch.Record{}, ans.Hints...) }},
	} {
		ans, err := call(ctx, a, api.Stats, api.StatsRequest{Table: t.table, Limit: rows})
		if err != nil {
			return err
		}
		t.keep(ans)
	}
	return a.answer(s, func() { a.printSummary(s) })
}

func (a *app) printSummary(s statsSummary) {
	fmt.Fprintf(a.out, "%s over %s, %s of agents, %s\n", plural(int(s.Status.Commits), "commit"),
		plural(int(s.Status.Files), "file"), plural(int(s.Status.Sessions), "session"),
		plural(int(s.Status.Events), "other event"))
	fileRows := func(title string, files []cold.FileStat, cell func(cold.FileStat) string) {
		if len(files) > 0 {
			fmt.Fprintln(a.out, "\n"+title)
		}
		printList(a, "", files, func(f cold.FileStat) []any { return []any{"  " + a.display(f.File), cell(f)} })
	}
	fileRows("committed most in the last year of the history:", s.Hot,
		func(f cold.FileStat) string { return plural(int(f.Commits), "commit") })
	fileRows("opened most:", s.Files, func(f cold.FileStat) string { return count(f.Accesses) })
	if len(s.Pairs) > 0 {
		fmt.Fprintln(a.out, "\nchange together most, although their names are not alike:")
	}
	printList(a, "", s.Pairs, func(p history.Pair) []any {
		return []any{"  " + a.display(p.A), a.display(p.B), fmt.Sprintf("%d of %d commits", p.Both, p.OfA)}
	})
	var all prefetch.Tally
	for _, r := range s.Hints {
		all = all.Plus(r.Shown)
	}
	if all.Decided > 0 {
		fmt.Fprintf(a.out, "\nhints: %s shown, and the agent then used the file in %s\n", count(all.Decided), share(all))
	}
	if s.Status.Sessions == 0 {
		a.noneYet("no agent has worked here since aoa init")
	}
}

// noneYet prints that no agent has left anything to show, and what to do.
func (a *app) noneYet(text string) {
	a.talk("%s", text)
	a.talk("hint: aoa doctor says whether an agent is connected")
}
