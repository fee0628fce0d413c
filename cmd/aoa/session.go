package main

import (
	"context"
	"errors"
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
		Short: "the state of sessions, and how to continue them",
		Long: `A session is that of an agent, named by its id or the beginning of it, or one that you have named
yourself with aoa pipeline run --session. aOa keeps a snapshot of each session: its state, its last three
commands, its files, and counts. A snapshot has no texts. The record of a session, with prompts and
commands, is in the log, where texts are encrypted. After 30 days without use a session is archived, and after 90 days its snapshot is deleted. If
there are more than 1,000 sessions, those that were used longest ago are deleted first.`,
		Example: `  aoa session list
  aoa session resume my-feature
  aoa session set my-feature completed
  aoa session show 5f0c2d1e --full`,
	}
	c.AddCommand(a.sessionList(), a.sessionShow(), a.sessionResume(), a.sessionSet(), a.sessionRemove())
	return c
}

func (a *app) sessionList() *cobra.Command {
	var r api.SessionsRequest
	c := &cobra.Command{
		Use:   "list",
		Short: "the sessions, the newest first",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			const head = "session\tstate\tlast\tturns\tcommands\ttokens\tagent"
			return show(c.Context(), a, api.Sessions, r, func(ans api.SessionsAnswer) {
				if len(ans.Sessions) == 0 {
					a.noneYet("no session is kept")
					return
				}
				printList(a, head, ans.Sessions, func(s api.SessionSummary) []any {
					return []any{s.ID, s.State, stamp(s.Last), s.Turns, s.Commands, count(s.Tokens), s.Agent}
				})
			})
		},
	}
	f := c.Flags()
	f.StringVar(&r.State, "state", "", "of this state only: active, paused, completed, failed or archived")
	f.BoolVar(&r.Archived, "archived", false, "archived sessions too")
	r.Limit = 50
	f.VarP((*number)(&r.Limit), "number", "n", "number of sessions")
	return c
}

func (a *app) sessionShow() *cobra.Command {
	var r api.SessionsRequest
	c := a.sessionCommand("show", "the snapshot of a session, with --full its record, too", false,
		func(ctx context.Context, id string) error {
			r.ID = id
			ans, err := call(ctx, a, api.Sessions, r)
			if err != nil {
				return err
			}
			s := ans.Sessions[0]
			return a.answer(s, func() {
				a.printSession(s)
				for _, e := range s.Record {
					names, text := a.fileNames(e.Paths(), " "), a.brief(e.Text(), 100)
					if text != "" {
						text = "  " + text
					}
					if h, ok := e.Body.(event.Hint); ok {
						names = hinted(h) + ": " + names
					}
					fmt.Fprintln(a.out, harmless(fmt.Sprintf("%s  %-7s %s%s", stamp(e.Time), e.Kind(), names, text)))
				}
			})
		})
	c.Flags().BoolVar(&r.Full, "full", false, "print the record too: prompts and actions")
	return c
}

// sessionCommand returns a command about the session that its argument names. If fresh is true the
// session may be new, so an unknown id is accepted.
func (a *app) sessionCommand(verb, short string, fresh bool,
	run func(ctx context.Context, id string) error) *cobra.Command {
	return &cobra.Command{
		Use:   verb + " ID",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := a.oneSession(c.Context(), args[0])
			var unknown *api.Error
			if fresh && errors.As(err, &unknown) && unknown.Code == api.CodeMissing {
				id, err = args[0], nil
			}
			if err != nil {
				return err
			}
			return run(c.Context(), id)
		},
	}
}

// printSession prints what a person needs to continue a session.
func (a *app) printSession(s api.SessionSummary) {
	fmt.Fprintf(a.out, "%s  %s", a.bold(event.Path(s.ID).Display()), s.State)
	if s.Resumed > 0 {
		fmt.Fprintf(a.out, ", resumed %s", plural(s.Resumed, "time"))
	}
	fmt.Fprintf(a.out, "\n  %s, %s in %s; %s tokens; %s to %s\n", plural(s.Turns, "turn"), plural(s.Commands, "command"),
		length(s.Last.Sub(s.Started)), count(s.Tokens), stamp(s.Started), stamp(s.Last))
	if len(s.Edited) > 0 {
		fmt.Fprintf(a.out, "  changed: %s\n", a.fileNames(s.Edited, " "))
	}
	if len(s.Files) > 0 {
		fmt.Fprintf(a.out, "  opened: %s\n", a.fileNames(s.Files, " "))
	}
	for _, c := range s.Recent {
		line := fmt.Sprintf("  %s  %s %s %s", c.At.Local().Format(time.TimeOnly), c.Kind, c.Tool, a.fileNames(c.Files, " "))
		if !c.OK {
			line += "  failed"
		}
		fmt.Fprintln(a.out, harmless(strings.TrimRight(line, " ")))
	}
}

func (a *app) sessionResume() *cobra.Command {
	return a.sessionCommand("resume", "continue a session, or start one, and print its state", true,
		func(ctx context.Context, id string) error {
			return show(ctx, a, api.SessionSet, api.SessionSetRequest{ID: id, State: "active"}, a.printSession)
		})
}

// settable are the states that a person can give to a session. aoa session resume makes a session
// active.
var settable = []string{"paused", "completed", "failed", "archived"}

func (a *app) sessionSet() *cobra.Command {
	return &cobra.Command{
		Use:   "set ID STATE",
		Short: "mark a session as paused, completed, failed or archived",
		Long:  `STATE is paused, completed, failed or archived. Archived sessions are hidden in the list.`,
		Args:  cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := knownWords("state", args[1:], settable); err != nil {
				return err
			}
			id, err := a.oneSession(c.Context(), args[0])
			if err != nil {
				return err
			}
			return show(c.Context(), a, api.SessionSet, api.SessionSetRequest{ID: id, State: args[1]}, a.printSession)
		},
	}
}

func (a *app) sessionRemove() *cobra.Command {
	c := a.sessionCommand("rm", "delete the snapshot of a session, and what pipelines stored in it", false,
		func(ctx context.Context, id string) error {
			if _, err := call(ctx, a, api.SessionSet, api.SessionSetRequest{ID: id, State: "removed"}); err != nil {
				return err
			}
			return a.answer(api.None{}, func() { fmt.Fprintf(a.out, "removed %s\n", event.Path(id).Display()) })
		})
	c.Long = `The record stays in the log; aoa forget --session erases it too.`
	return c
}
