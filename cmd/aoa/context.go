package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/session/contexts"
)

func (a *app) context() *cobra.Command {
	r := contexts.Request{For: contexts.ForAction}
	c := newCommand("context", "print what was asked and done in a session, within a token budget", cobra.NoArgs, nil)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if r.For == contexts.ForAction {
			if err := without(c, "--for action", "prompt"); err != nil {
				return err
			}
		}
		ans, err := call(c.Context(), a, api.Context, r)
		if err != nil {
			return err
		}
		return a.answer(ans.Segments, func() { a.printContext(ans, r.Total) })
	}
	f := c.Flags()
	f.IntVar(&r.Total, "budget", 0, "number of tokens, four bytes each (default: the setting context.total)")
	f.StringVar((*string)(&r.For), "for", string(r.For), "purpose: action (the work continues) or prompt (there is a new question)")
	f.VarP((*given)(&r.Prompt), "prompt", "p", "with --for prompt: the question (default: the last prompt)")
	a.ownSessionFlag(c, &r.Session)
	return c
}

func (a *app) printContext(ans api.ContextAnswer, budget int) {
	if len(ans.Segments) == 0 && budget > 0 {
		a.talk("nothing that was asked or done fits in %d tokens", budget)
		a.talk("hint: aoa context, without --budget, uses the setting context.total")
		return
	}
	if len(ans.Segments) == 0 {
		a.talk("nothing was asked or done yet")
		a.talk("hint: aoa doctor says whether an agent is connected")
		return
	}
	stable := 0
	for _, s := range ans.Segments {
		fmt.Fprintln(a.out, s.Content)
		if s.Cacheable {
			stable += s.Tokens
		}
	}
	a.talk("%d of at most %d tokens; the first %d stay the same from request to request", ans.Tokens, ans.Budget, stable)
}
