package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
)

func (a *app) stats() *cobra.Command {
	var r api.StatsRequest
	c := &cobra.Command{
		Use:       "stats files|tags|sessions|kinds|cache",
		Short:     "totals per file, intent tag, session, kind of suggestion, or of prompt caches",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"files", "tags", "sessions", "kinds", "cache"},
		RunE: func(c *cobra.Command, args []string) error {
			if args[0] == "cache" {
				return a.promptCache(c.Context(), r.Limit)
			}
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			r.Table = args[0]
			ans, err := api.Call(c.Context(), client, api.Stats, r)
			if err != nil {
				return err
			}
			return a.answer(ans, func() { a.statTables(ans); a.retirement(ans.Retired); a.refit(ans.Refit) })
		},
	}
	c.Flags().IntVarP(&r.Limit, "number", "n", 20, "how many rows")
	return c
}

func (a *app) statTables(ans api.StatsAnswer) {
	var rows []string
	switch {
	case len(ans.Files) > 0:
		rows = []string{"accesses\tfirst\tlast\tmean session\tfile"}
		for _, f := range ans.Files {
			rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s\t%s", count(f.Accesses), stamp(f.First), stamp(f.Last), length(f.MeanSession), f.File.Display()))
		}
	case len(ans.Tags) > 0:
		rows = []string{"uses\tfiles\ttag"}
		for _, t := range ans.Tags {
			rows = append(rows, fmt.Sprintf("%s\t%s\t#%s", count(t.Uses), count(t.Files), t.Tag))
		}
	case len(ans.Sessions) > 0:
		rows = []string{"started\tlength\tevents\tfiles\tagent\tsession"}
		for _, s := range ans.Sessions {
			rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s", stamp(s.Started), length(s.Duration), count(s.Events), count(s.Files), s.Agent, s.ID))
		}
	case len(ans.Kinds) > 0:
		rows = []string{"kind\tshown\tused\tprecision\twithheld\tused anyway\tlift (95 %)\tshadow\tused\ttokens\thooks\tp50\tp99"}
		for _, k := range ans.Kinds {
			precision, lift := "-", "-"
			if k.Settled > 0 {
				precision = fmt.Sprintf("%.2f", k.Precision)
			}
			if k.Settled > 0 && k.HeldDone > 0 {
				lift = fmt.Sprintf("%+.2f (%+.2f to %+.2f)", k.Lift, k.LiftLow, k.LiftHigh)
			}
			name := k.Kind
			if k.Retired {
				name += " (retired)"
			}
			rows = append(rows, fmt.Sprintf("%s\t%d\t%d\t%s\t%d\t%d\t%s\t%d\t%d\t%s\t%s\t%s", name, k.Shown, k.Used, precision, k.Withheld, k.HeldUsed,
				lift, k.Shadow, k.ShadowHit, count(k.Tokens), count(k.Hooks), quantiles(k)))
		}
	default:
		a.talk("nothing yet: no agent has worked here since aoa init")
		a.talk("hint: aoa init --hooks claude,git")
		return
	}
	a.table(rows...)
}

// quantiles are two cells: what the hooks took at which a kind was asked.
func quantiles(k api.KindStat) string {
	if k.Hooks == 0 {
		return "-\t-"
	}
	return fmt.Sprintf("%.1f ms\t%.1f ms", k.HookP50, k.HookP99)
}

// refit tells what the last fit of the confidence came to.
func (a *app) refit(r *api.Refit) {
	if r != nil {
		a.talk("confidence fitted to this repository on %s: %s", stamp(r.At), r.Text)
	}
}

// retirement tells of kinds that keep silent by themselves.
func (a *app) retirement(kinds []api.RetiredKind) {
	for _, k := range kinds {
		a.talk("%s has retired itself: %s", k.Kind, k.Why)
		a.talk("hint: it comes back by itself after some 140 more predictions, or at once with %s", k.Back)
	}
}
