package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
)

// summaryRows is how many files and pairs a summary has.
const summaryRows = 5

// statsSummary is what aoa stats prints without an argument, for --json.
type statsSummary struct {
	Status api.StatusAnswer `json:"status"`
	Hot    []api.FileStat   `json:"hot"`   // committed most in the last year of the history
	Files  []api.FileStat   `json:"files"` // opened most
	Pairs  []api.Pair       `json:"pairs"` // that change together most
	Kinds  []api.KindStat   `json:"kinds"`
}

// summary prints the most important totals. From the first day on it has those of the history.
func (a *app) summary(c *cobra.Command) error {
	client, _, err := a.client(c.Context(), false)
	if err != nil {
		return err
	}
	s := statsSummary{Hot: []api.FileStat{}, Files: []api.FileStat{}, Kinds: []api.KindStat{}}
	if s.Status, err = api.Call(c.Context(), client, api.Status, api.None{}); err != nil {
		return err
	}
	hot, err := api.Call(c.Context(), client, api.Stats, api.StatsRequest{Table: "commits", Limit: summaryRows})
	if err != nil {
		return err
	}
	files, err := api.Call(c.Context(), client, api.Stats, api.StatsRequest{Table: "files", Limit: summaryRows})
	if err != nil {
		return err
	}
	kinds, err := api.Call(c.Context(), client, api.Stats, api.StatsRequest{Table: "kinds"})
	if err != nil {
		return err
	}
	pairs, err := api.Call(c.Context(), client, api.Stats, api.StatsRequest{Table: "pairs", Limit: summaryRows})
	if err != nil {
		return err
	}
	s.Hot, s.Files, s.Kinds = append(s.Hot, hot.Files...), append(s.Files, files.Files...), append(s.Kinds, kinds.Kinds...)
	s.Pairs = pairs.Pairs
	return a.answer(s, func() { a.printSummary(s) })
}

func (a *app) printSummary(s statsSummary) {
	fmt.Fprintf(a.out, "%s commits over %s files, %s sessions of agents, %s events\n", count(s.Status.Commits),
		count(s.Status.Files),
		count(s.Status.Sessions), count(s.Status.Events))
	if len(s.Hot) > 0 {
		fmt.Fprintln(a.out, "\ncommitted most in the last year of the history:")
		printList(a, "", s.Hot, func(f api.FileStat) []any {
			return []any{"  " + a.display(f.File),
				plural(int(f.Commits), "commit")}
		})
	}
	if len(s.Files) > 0 {
		fmt.Fprintln(a.out, "\nopened most:")
		printList(a, "", s.Files, func(f api.FileStat) []any { return []any{"  " + a.display(f.File), count(f.Accesses)} })
	}
	if len(s.Pairs) > 0 {
		fmt.Fprintln(a.out, "\nchange together most, although their names are not alike:")
		printList(a, "", s.Pairs, func(p api.Pair) []any {
			return []any{"  " + a.display(p.A), a.display(p.B), fmt.Sprintf("%d of %d commits", p.Both, p.OfA)}
		})
	}
	shown, used, settled := int64(0), int64(0), int64(0)
	for _, k := range s.Kinds {
		shown, used, settled = shown+k.Shown, used+k.Used, settled+k.Settled
	}
	if shown > 0 {
		fmt.Fprintf(a.out, "\nhints: %s files shown, %s of %s used\n", count(shown), count(used), count(settled))
	}
	if s.Status.Sessions == 0 {
		a.talk("no agent has worked here since aoa init")
		a.talk("hint: aoa init --hooks claude,git")
	}
}
