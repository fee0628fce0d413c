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
	"github.com/aoa-dev/aoa/internal/session"
)

func (a *app) session() *cobra.Command {
	return family("session", "list sessions, and continue them",
		a.sessionList(), a.sessionShow(), a.sessionResume(), a.sessionSet(), a.sessionRemove())
}

func (a *app) sessionList() *cobra.Command {
	var r api.SessionsRequest
	c := newCommand("list", "the sessions, the newest first", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			const head = "session\tstate\tlast\tturns\tcommands\ttokens\tagent"
			return show(ctx, a, api.Sessions, r, func(ans api.SessionsAnswer) {
				if len(ans.Sessions) == 0 {
					a.noneYet("no session is kept")
					return
				}
				printList(a, head, ans.Sessions, func(s api.SessionSummary) []any {
					return []any{s.ID, s.State, stamp(s.Last), s.Turns, s.Commands, count(s.Tokens), s.Agent}
				})
			})
		})
	f := c.Flags()
	f.StringVar((*string)(&r.State), "state", "", "of this state only: active, paused, completed, failed or archived")
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
				if r.Full {
					a.eventTable(s.Record)
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
	return newCommand(verb+" ID", short, cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			id, err := a.oneSession(ctx, args[0])
			if unknown, ok := errors.AsType[*event.Refusal](err); ok && fresh && unknown.Code == event.CodeMissing {
				id, err = args[0], nil
			}
			if err != nil {
				return err
			}
			return run(ctx, id)
		})
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
			return show(ctx, a, api.SessionSet, api.SessionSetRequest{ID: id, State: session.Active}, a.printSession)
		})
}

// settable are the states that a person can give to a session. aoa session resume makes a session
// active.
var settable = []string{"paused", "completed", "failed", "archived"}

func (a *app) sessionSet() *cobra.Command {
	return newCommand("set ID STATE", "mark a session as paused, completed, failed or archived", cobra.ExactArgs(2),
		func(ctx context.Context, args []string) error {
			if err := knownWords("state", args[1:], settable); err != nil {
				return err
			}
			id, err := a.oneSession(ctx, args[0])
			if err != nil {
				return err
			}
			return show(ctx, a, api.SessionSet, api.SessionSetRequest{ID: id, State: session.State(args[1])}, a.printSession)
		})
}

func (a *app) sessionRemove() *cobra.Command {
	return a.sessionCommand("rm", "delete the snapshot of a session, and what pipelines stored in it", false,
		func(ctx context.Context, id string) error {
			if _, err := call(ctx, a, api.SessionSet, api.SessionSetRequest{ID: id, State: session.Removed}); err != nil {
				return err
			}
			return a.answer(api.None{}, func() { fmt.Fprintf(a.out, "removed %s\n", event.Path(id).Display()) })
		})
}
