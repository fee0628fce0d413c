package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

func (a *app) session() *cobra.Command {
	c := &cobra.Command{
		Use:   "session",
		Short: "where a session stands, and going on with it",
		Long: `A session is an agent's, by its id, or one of your own naming (aoa pipeline run --session-id). Of each a
snapshot is kept: its state, last three commands, files, counts. It holds no text, so it is there at
once; the record behind it, with prompts and commands, is the log, whose texts lie sealed. Sessions
nobody touches are archived after 30 days and their snapshots removed after 90.`,
		Example: `  aoa session list
  aoa session resume my-feature
  aoa session show 5f0c2d1e --full`,
	}
	c.AddCommand(a.sessionList(), a.sessionShow(),
		a.sessionSet("resume", "active", "go on with a session, or begin one: prints where it stood"),
		a.sessionSet("pause", "paused", "put a session aside"),
		a.sessionSet("complete", "completed", "say that a session has done its work"),
		a.sessionSet("fail", "failed", "say that a session has not"),
		a.sessionSet("archive", "archived", "take a session out of the list"),
		a.sessionRemove())
	for _, sub := range c.Commands() {
		a.strict(sub)
	}
	return c
}

func (a *app) sessionList() *cobra.Command {
	var r api.SessionsRequest
	c := &cobra.Command{
		Use:   "list",
		Short: "sessions, the newest first",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Call(c.Context(), client, api.Sessions, r)
			if err != nil {
				return err
			}
			return a.answer(ans, func() {
				rows := []string{"session\tstate\tlast\tturns\tcommands\ttokens\tagent"}
				for _, s := range ans.Sessions {
					rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%s\t%s", s.ID, s.State, stamp(s.Last), s.Turns, s.Commands, count(s.Tokens), s.Agent))
				}
				a.table(rows...)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&r.State, "state", "", "active, paused, completed, failed or archived")
	f.BoolVar(&r.Archived, "archived", false, "archived ones, too")
	f.IntVar(&r.Limit, "limit", 50, "at most so many")
	return c
}

func (a *app) sessionShow() *cobra.Command {
	var r api.SessionShowRequest
	c := &cobra.Command{
		Use:   "show ID",
		Short: "one session's snapshot, and its record",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			r.ID = args[0]
			ans, err := api.Call(c.Context(), client, api.SessionShow, r)
			if err != nil {
				return err
			}
			return a.answer(ans, func() {
				a.tellSession(ans.SessionSnapshot)
				for _, e := range ans.Record {
					fmt.Fprintln(a.out, harmless(fmt.Sprintf("%s  %-7s %s%s", stamp(e.Time), e.Kind, fileNames(e.Paths), briefly(e.Text))))
				}
			})
		},
	}
	c.Flags().BoolVar(&r.Full, "full", false, "the record, too: what was said and done")
	return c
}

// briefly is a text on one line, cut.
func briefly(text string) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	if len(r) > 100 {
		r = append(r[:99], '…')
	}
	if len(r) > 0 {
		return "  " + string(r)
	}
	return ""
}

func fileNames(paths []event.Path) string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = p.Display()
	}
	return strings.Join(out, " ")
}

// tellSession prints what is needed to go on.
func (a *app) tellSession(s api.SessionSnapshot) {
	fmt.Fprintf(a.out, "%s  %s", a.bold(event.Path(s.ID).Display()), s.State)
	if s.Resumed > 0 {
		fmt.Fprintf(a.out, ", resumed %s", plural(s.Resumed, "time"))
	}
	fmt.Fprintf(a.out, "\n  %s, %s in %s; %s tokens; %s to %s\n", plural(s.Turns, "turn"), plural(s.Commands, "command"),
		length(s.Last.Sub(s.Started).Seconds()), count(s.Tokens), stamp(s.Started), stamp(s.Last))
	for _, l := range []struct {
		word  string
		paths []event.Path
	}{{"changed", s.Edited}, {"opened", s.Files}} {
		if len(l.paths) > 0 {
			fmt.Fprintf(a.out, "  %s: %s\n", l.word, fileNames(l.paths))
		}
	}
	for _, c := range s.Recent {
		mark := ""
		if !c.OK {
			mark = "  failed"
		}
		fmt.Fprintln(a.out, harmless(strings.TrimRight(fmt.Sprintf("  %s  %s %s %s%s", c.At.Local().Format(time.TimeOnly), c.Kind, c.Tool, fileNames(c.Files), mark), " ")))
	}
}

func (a *app) sessionSet(verb, state, short string) *cobra.Command {
	return &cobra.Command{
		Use:   verb + " ID",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Call(c.Context(), client, api.SessionSet, api.SessionSetRequest{ID: args[0], State: state})
			if err != nil {
				return err
			}
			return a.answer(ans, func() { a.tellSession(ans) })
		},
	}
}

func (a *app) sessionRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "rm ID",
		Short: "remove a session's snapshot",
		Long:  `Removes the snapshot. The record stays in the log: aoa forget --session takes both out, down to the bytes.`,
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			ans, err := api.Call(c.Context(), client, api.SessionRemove, api.SessionShowRequest{ID: args[0]})
			if err != nil {
				return err
			}
			return a.answer(ans, func() { fmt.Fprintf(a.out, "removed %s\n", event.Path(args[0]).Display()) })
		},
	}
}
