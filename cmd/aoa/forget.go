package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

func (a *app) forget() *cobra.Command {
	var since string
	var yes bool
	var r api.ForgetRequest
	c := newCommand("forget [PATH]", "erase what was learned of a path, session, time or clone", cobra.MaximumNArgs(1),
		func(ctx context.Context, args []string) (err error) {
			if r.Since, err = a.past(since); err != nil {
				return err
			}
			named := len(args)
			for _, flag := range []string{r.Session, since, r.Origin} {
				named += min(len(flag), 1)
			}
			if named != 1 {
				return usage("name one thing: a path, --session, --since or --origin")
			}
			_, repo, err := a.client(ctx)
			if err == nil && len(args) > 0 {
				r.File, err = a.place(ctx, args[0], true)
			}
			if err != nil {
				return err
			}
			if what, again := much(a, r, args, since); what != "" && !yes {
				if err := a.agreed(ctx, "aoa forget erases "+what, "aoa forget --yes "+again, "forgotten"); err != nil {
					return err
				}
			}
			// The report may name what is to be forgotten.
			if err := os.Remove(a.reportFile(repo)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fail(exitFailed, "", "nothing was forgotten: %v", err)
			}
			ans, err := call(ctx, a, api.Forget, r)
			if err != nil {
				return err
			}
			// a session that was found may have nothing in the log
			if ans == (api.ForgetAnswer{}) && r.Session == "" {
				err = fail(exitFailed, "aoa log shows what was learned", "nothing was forgotten: nothing was learned about it")
				if !a.json {
					return err
				}
			}
			return errors.Join(err, a.answer(ans, func() {
				gone := []string{"forgot " + plural(ans.Events, "event")}
				if ans.Commits > 0 {
					gone = append(gone, "its part in "+plural(ans.Commits, "commit"))
				}
				if ans.Results > 0 {
					gone = append(gone, plural(ans.Results, "result")+" of stages")
				}
				fmt.Fprintln(a.out, strings.Join(gone, ", "))
				if r.File != "" {
					a.talk("new events about it will be learned again, but not its earlier commits; " +
						"paths in .aoaignore are never learned")
				}
			}))
		})
	a.sessionFlag(c, &r.Session, "everything of this session")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask; a script, which nobody answers, needs it")
	c.Flags().Var((*given)(&r.Origin), "origin",
		"everything from another clone, as aoa status names it; the beginning is enough")
	c.Flags().Var((*given)(&since), "since", "everything since this time (2h, 7d, 2026-01-31)")
	return c
}

// much describes a request that would erase more than one file, session or clone, and how to type
// it again. It returns "" for smaller requests.
func much(a *app, r api.ForgetRequest, args []string, since string) (what, again string) {
	switch {
	case strings.HasSuffix(string(r.File), "/"):
		return "all that was learned about the files in " + strings.TrimSuffix(a.display(r.File), "/") + "/",
			event.ShellWord(args[0])
	case since != "":
		return "all that was learned since " + stamp(r.Since), "--since " + event.ShellWord(since)
	}
	return "", ""
}
