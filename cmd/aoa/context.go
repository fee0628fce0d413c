package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
)

func (a *app) context() *cobra.Command {
	var r api.ContextRequest
	c := &cobra.Command{
		Use:   "context",
		Short: "what was said and done in a session, within a token budget",
		Long: `Prints what an agent is told of its own work after a compaction: its prompts, what was done, what
fails, what is changed and not committed. Prompts stand in front, since they change least: a
prompt cache keeps them while actions come and go.

With --for prompt: less of the actions, and earlier prompts of this repository like the one that
is asked, with the files that they led to. With --json: a list of messages in that order.`,
		Example: `  aoa context
  aoa context --for prompt --prompt "make the parser faster"
  aoa context --budget 200 --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, _, err := a.client(c.Context(), false)
			if err != nil {
				return err
			}
			if r.Session == "" {
				r.Session = a.getenv("CLAUDE_CODE_SESSION_ID")
			}
			ans, err := api.Call(c.Context(), client, api.Context, r)
			if err != nil {
				return err
			}
			return a.answer(ans.Segments, func() { a.contextText(ans) })
		},
	}
	f := c.Flags()
	f.StringVar(&r.For, "for", "action", "what it is for: action (the work goes on) or prompt (something is asked)")
	f.StringVarP(&r.Prompt, "prompt", "p", "", "with --for prompt: what is asked (default: the last prompt)")
	f.IntVar(&r.Budget, "budget", 0, "tokens, four bytes each (default: the setting context.total)")
	f.StringVar(&r.Session, "session", "", "of this agent session (default: the current, else the newest one)")
	return c
}

func (a *app) contextText(ans api.ContextAnswer) {
	if len(ans.Segments) == 0 {
		a.talk("nothing was said or done yet")
		a.talk("hint: aoa hooks status, or aoa stats sessions")
		return
	}
	stays := 0
	for _, s := range ans.Segments {
		fmt.Fprintln(a.out, s.Content)
		if s.Cacheable {
			stays += s.Tokens
		}
	}
	a.talk("%d of %d tokens, %d of them stay the same from request to request", ans.Tokens, ans.Budget, stays)
}
